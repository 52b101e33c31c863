-- One-time codes that lead a member to the host of an app. Only the SHA-256 of a code is stored.
create table app_entry_codes (
  hash bytea primary key,
  account_id integer not null references accounts on delete cascade,
  app_id uuid not null references apps on delete cascade,
  session_id integer not null references sessions on delete cascade,
  expires_at timestamptz not null
);
create index app_entry_codes_account on app_entry_codes (account_id);
create index app_entry_codes_app on app_entry_codes (app_id);
create index app_entry_codes_session on app_entry_codes (session_id);
create index app_entry_codes_expires on app_entry_codes (expires_at);
