-- Runs that wait, for a moment or for an answer. They are not in Deno KV meanwhile. The row stays until the run ends: it has
-- the journal up to the wait, and keeps the sweep from deleting what the run needs.
create table flow_waits (
  run_id uuid primary key,
  account_id integer not null references accounts on delete cascade,
  department_id integer references departments on delete set null,
  flow_id integer not null,
  flow_version integer not null,
  flow_code text collate "C" not null,
  trigger text not null,
  app_id uuid,
  action text,
  cron_id integer,
  user_id integer,
  retry_of uuid,
  attempts integer not null,
  started_at timestamptz not null,
  -- null while the run is in progress
  wake_at timestamptz,
  -- what the run waits for, besides the moment
  awaits uuid[] not null default '{}',
  head json not null,
  steps json not null
);
create index flow_waits_due on flow_waits (wake_at) where wake_at is not null;
create index flow_waits_account on flow_waits (account_id, run_id) where wake_at is not null;
create index flow_waits_awaits on flow_waits (wake_at) where wake_at is not null and awaits <> '{}';
create index flow_waits_program on flow_waits (flow_id, flow_version);
create index flow_waits_department on flow_waits (department_id) where department_id is not null;
