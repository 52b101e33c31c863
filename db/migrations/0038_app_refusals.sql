-- The latest save of an app's source that did not compile, until one does.
create table app_refusals (
  app_id uuid primary key references apps on delete cascade,
  account_id integer not null references accounts on delete cascade,
  author_id integer not null references users on delete cascade,
  message text not null,
  count integer not null default 1,
  at timestamptz not null default now()
);
create index app_refusals_account on app_refusals (account_id, at);
create index app_refusals_author on app_refusals (author_id);
