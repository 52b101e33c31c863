create table flows (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  department_id integer references departments on delete set null,
  code text collate "C" not null,
  name text not null,
  name_folded text collate "C" not null,
  active boolean not null default true,
  -- as its author wrote it; json, because the order of keys in `set` matters
  fields json not null,
  -- the version of the program; a run keeps the version that it started with
  version integer not null default 1,
  lock_version integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index flows_code_key on flows (account_id, code);
create index flows_name on flows (account_id, name_folded, id);
create index flows_created on flows (account_id, created_at, id);
create index flows_updated on flows (account_id, updated_at, id);
create index flows_department on flows (department_id) where department_id is not null;

create function tell_flow_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('flow_changed', coalesce(new.account_id, old.account_id)::text);
  return null;
end
$$;
create trigger flow_changed after insert or update or delete on flows for each row execute function tell_flow_changed();

-- All programs that runs may use. Replaced programs are kept for a day.
create table flow_versions (
  flow_id integer not null references flows on delete cascade,
  version integer not null,
  program json not null,
  created_at timestamptz not null default now(),
  replaced_at timestamptz,
  primary key (flow_id, version)
);
create index flow_versions_replaced on flow_versions (replaced_at) where replaced_at is not null;

-- Ended runs. Runs in progress are in Deno KV. Ids are UUIDs of version 7, which sort by time.
create table flow_processes (
  id uuid primary key,
  account_id integer not null references accounts on delete cascade,
  department_id integer references departments on delete set null,
  -- the flow may have been deleted
  flow_id integer not null,
  flow_version integer not null,
  flow_code text collate "C" not null,
  trigger text not null constraint flow_processes_trigger_check check (trigger in ('action', 'manual', 'cron')),
  status text not null constraint flow_processes_status_check check (status in ('finished', 'error', 'cancelled')),
  app_id uuid,
  action text,
  cron_id integer,
  user_id integer,
  retry_of uuid,
  attempts integer not null,
  input json not null,
  data json,
  error text,
  steps json not null,
  started_at timestamptz not null,
  finished_at timestamptz not null
);
create index flow_processes_account on flow_processes (account_id, id);
create index flow_processes_flow on flow_processes (account_id, flow_code, id);
create index flow_processes_status on flow_processes (account_id, status, id) where status <> 'finished';
create index flow_processes_trigger on flow_processes (account_id, trigger, id);
create index flow_processes_department on flow_processes (department_id) where department_id is not null;

-- Inputs and outputs of steps that are too large for Deno KV, of runs in progress.
create table flow_values (
  run_id uuid not null,
  place text collate "C" not null,
  value json not null,
  primary key (run_id, place)
);

-- Results of `record` steps, written in the transaction of the step.
create table flow_effects (
  run_id uuid not null,
  place text collate "C" not null,
  output json not null,
  primary key (run_id, place)
);

-- Claims of runs after a takeover. Writes with a lower attempt come from a previous owner and are refused (fencing).
create table flow_claims (
  run_id uuid primary key,
  attempts integer not null
);
