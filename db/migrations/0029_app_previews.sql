-- Compiled sources that nobody has saved, for a few minutes. A crash of PostgreSQL may empty the table.
create unlogged table app_previews (
  -- SHA-256 of the key in the preview's address
  hash bytea primary key,
  account_id integer not null references accounts on delete cascade,
  user_id integer not null references users on delete cascade,
  -- the app whose page token the preview has
  app_id uuid references apps on delete cascade,
  name text not null,
  db_code text,
  app_engine text not null,
  css_engine text not null,
  code text not null,
  css text not null,
  imports text[] not null,
  scripts text[] not null,
  -- the mappings of a source map; null where the code is the source
  positions text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index app_previews_account on app_previews (account_id);
create index app_previews_user on app_previews (user_id, created_at);
create index app_previews_app on app_previews (app_id);
create index app_previews_expires on app_previews (expires_at);
