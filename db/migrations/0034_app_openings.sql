-- How often an app's page was opened, by day in UTC.
create table app_openings (
  app_id uuid not null references apps on delete cascade,
  day date not null,
  account_id integer not null references accounts on delete cascade,
  count integer not null,
  primary key (app_id, day)
);
create index app_openings_account on app_openings (account_id);
create index app_openings_day on app_openings (day);
