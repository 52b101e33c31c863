create table apps (
  id uuid primary key,
  account_id integer not null references accounts on delete cascade,
  department_id integer references departments on delete set null,
  name text not null,
  name_folded text collate "C" not null,
  url_code text collate "C",
  description text,
  app_engine text not null,
  css_engine text not null,
  source_code text not null,
  public boolean not null default false,
  active boolean not null default true,
  db_code text,
  show_in_module text,
  prompt text,
  actions jsonb not null default '[]',
  fields jsonb not null default '{}',
  config jsonb not null default '{}',
  app_build_time integer not null default 0,
  css_build_time integer not null default 0,
  -- the output of the compiler; the API does not send it
  app_code text not null,
  css_code text not null,
  -- vendor modules that app_code imports, for modulepreload
  imports text[] not null default '{}',
  -- classic scripts that run before app_code, such as the browser build of Tailwind
  scripts text[] not null default '{}',
  lock_version integer not null default 0,
  -- the number of the current version; app_versions has the earlier ones
  version integer not null default 1,
  created_by_id integer references users on delete set null,
  updated_by_id integer references users on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index apps_url_code_key on apps (account_id, url_code);
create index apps_created on apps (account_id, created_at, id);
create index apps_updated on apps (account_id, updated_at, id);
create index apps_name on apps (account_id, name_folded, id);
create index apps_department on apps (department_id);
create index apps_module on apps (account_id, show_in_module) where show_in_module is not null;
create index apps_created_by on apps (created_by_id);
create index apps_updated_by on apps (updated_by_id);

-- The state before each change of source, engines or actions.
create table app_versions (
  app_id uuid not null references apps on delete cascade,
  version integer not null,
  app_engine text not null,
  css_engine text not null,
  source_code text not null,
  actions jsonb not null,
  created_by_id integer references users on delete set null,
  created_at timestamptz not null default now(),
  primary key (app_id, version)
);
create index app_versions_created_by on app_versions (created_by_id);

-- Notifies the processes that cache app pages of every change.
create function tell_app_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('app_changed', old.id::text);
  return null;
end
$$;
create trigger app_changed after update or delete on apps for each row execute function tell_app_changed();

-- Files of runtimes, named by their hash. Old files are kept, because compiled apps import them.
create table vendor_files (
  file text collate "C" primary key,
  content_type text not null,
  body bytea not null,
  brotli bytea not null,
  gzip bytea not null,
  created_at timestamptz not null default now()
);
