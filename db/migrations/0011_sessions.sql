-- Sessions of members in browsers. Only the SHA-256 of a session's secret is stored.
create table sessions (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  user_id integer not null references users on delete cascade,
  hash bytea not null,
  -- the browser and system of its User-Agent, for people
  device text not null,
  -- IP address of its sign-in
  address text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now()
);
create unique index sessions_hash_key on sessions (hash);
create index sessions_user on sessions (user_id, id);
create index sessions_account on sessions (account_id);
create index sessions_last_seen on sessions (last_seen_at);
create index sessions_created on sessions (created_at);

-- Attempts to sign in, by login and by address. An attempt that succeeds removes those of its login.
create table sign_in_attempts (
  subject text collate "C" not null,
  attempted_at timestamptz not null default now()
);
create index sign_in_attempts_subject on sign_in_attempts (subject, attempted_at);
create index sign_in_attempts_time on sign_in_attempts (attempted_at);

-- Tells every process that what it remembers of an account's viewers may be outdated.
create function tell_viewers_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('viewers_changed', coalesce(new.account_id, old.account_id)::text);
  return null;
end
$$;
create trigger users_changed after update or delete on users
  for each row execute function tell_viewers_changed();
create trigger tokens_changed after delete on tokens
  for each row execute function tell_viewers_changed();
create trigger sessions_changed after delete on sessions
  for each row execute function tell_viewers_changed();

create function tell_members_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('viewers_changed', u.account_id::text)
  from users u
  where u.id = coalesce(new.user_id, old.user_id);
  return null;
end
$$;
create trigger department_users_changed after insert or update or delete on department_users
  for each row execute function tell_members_changed();

create function tell_account_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('viewers_changed', new.id::text);
  return null;
end
$$;
create trigger accounts_mode_changed after update of departments_mode on accounts
  for each row execute function tell_account_changed();
