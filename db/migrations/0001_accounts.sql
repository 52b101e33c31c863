-- A timestamp as the API sends it: ISO 8601, UTC, milliseconds, offset.
create function iso(moment timestamptz) returns text
language sql stable parallel safe
return to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"');

create table accounts (
  id integer generated always as identity primary key,
  name text not null,
  host text,
  main_department_id integer,
  departments_mode text not null default 'open' constraint accounts_mode_check check (departments_mode in ('open', 'restricted')),
  -- an admin has chosen the mode, so the second department does not change it
  departments_mode_chosen boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index accounts_host_key on accounts (host);

-- Names are unique without regard to case. The server folds them, because lower() depends on the database's locale.
create table users (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  login text not null,
  login_folded text collate "C" not null,
  email text not null,
  email_folded text collate "C" not null,
  name text not null,
  role text not null constraint users_role_check check (role in ('guest', 'user', 'manager', 'admin')),
  without_department boolean not null default true,
  active boolean not null default true,
  password_hash text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index users_login_key on users (account_id, login_folded);
create unique index users_email_key on users (account_id, email_folded);
create index users_account on users (account_id, id);
create index users_created on users (account_id, created_at, id);

-- Only the SHA-256 of a token is stored.
create table tokens (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  user_id integer not null references users on delete cascade,
  name text not null,
  hash bytea not null,
  scopes text[],
  expires_at timestamptz,
  last_used_at timestamptz,
  -- the token of the variable ADMIN_TOKEN
  from_environment boolean not null default false,
  created_at timestamptz not null default now()
);
create unique index tokens_hash_key on tokens (hash);
create index tokens_account on tokens (account_id, id);
create index tokens_user on tokens (user_id, id);
create unique index tokens_from_environment_key on tokens (account_id) where from_environment;

create table teams (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  name text not null,
  name_folded text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index teams_name_key on teams (account_id, name_folded);
create index teams_account on teams (account_id, id);

create table groups (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  name text not null,
  name_folded text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index groups_name_key on groups (account_id, name_folded);
create index groups_account on groups (account_id, id);

create table mailboxes (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  name text not null,
  name_folded text collate "C" not null,
  email text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index mailboxes_name_key on mailboxes (account_id, name_folded);
create index mailboxes_account on mailboxes (account_id, id);

create table team_users (
  team_id integer not null references teams on delete cascade,
  user_id integer not null references users on delete cascade,
  primary key (user_id, team_id)
);
create index team_users_team on team_users (team_id);

create table group_users (
  group_id integer not null references groups on delete cascade,
  user_id integer not null references users on delete cascade,
  primary key (user_id, group_id)
);
create index group_users_group on group_users (group_id);
