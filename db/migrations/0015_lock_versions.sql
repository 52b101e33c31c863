-- Users, teams, groups and mailboxes: an update with an outdated number is refused, as for departments.
alter table users add column lock_version integer not null default 0;
alter table teams add column lock_version integer not null default 0;
alter table groups add column lock_version integer not null default 0;
alter table mailboxes add column lock_version integer not null default 0;
