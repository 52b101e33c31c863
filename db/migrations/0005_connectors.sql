-- Connectors. The secret is encrypted with AES-256-GCM and bound to account, connector and field.
create table connectors (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  department_id integer references departments on delete set null,
  code text collate "C" not null,
  name text not null,
  name_folded text collate "C" not null,
  url text not null,
  secret_token bytea,
  -- the id of the key in SECRET_KEYS; a rotation finds secrets of old keys by it
  secret_key_id text collate "C",
  fields json not null,
  lock_version integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index connectors_code_key on connectors (account_id, code);
create index connectors_name on connectors (account_id, name_folded, id);
create index connectors_created on connectors (account_id, created_at, id);
create index connectors_updated on connectors (account_id, updated_at, id);
create index connectors_department on connectors (department_id) where department_id is not null;

create function tell_connector_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('connector_changed', old.id::text);
  return null;
end
$$;
create trigger connector_changed after update or delete on connectors
  for each row execute function tell_connector_changed();
