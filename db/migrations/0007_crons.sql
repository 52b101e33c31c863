create table crons (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  department_id integer references departments on delete set null,
  name text,
  kind text not null constraint crons_kind_check check (kind in ('flow')),
  target_code text collate "C" not null,
  schedule text not null,
  timezone text not null,
  -- the schedule in words
  sentence text not null,
  active boolean not null,
  overlap text not null constraint crons_overlap_check check (overlap in ('skip', 'allow', 'queue')),
  -- seconds
  catch_up integer not null,
  -- null: never pauses
  max_failures integer,
  -- failed runs in a row
  failures integer not null default 0,
  paused_reason text,
  -- the first due time that is not in the ledger; null while the trigger is not active
  next_run_at timestamptz,
  last_run_at timestamptz,
  last_run_id uuid,
  last_status text,
  lock_version integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index crons_due on crons (next_run_at, id) where active;
create index crons_account on crons (account_id, id);
create index crons_next_run on crons (account_id, next_run_at, id);
create index crons_created on crons (account_id, created_at, id);
create index crons_target on crons (account_id, target_code, id);
create index crons_department on crons (department_id) where department_id is not null;

-- The ledger: one row for each due time of a trigger and for each run by hand. If many due times are missed, the older
-- ones share one row.
create table cron_runs (
  id bigint generated always as identity primary key,
  cron_id integer not null references crons on delete cascade,
  account_id integer not null,
  due_at timestamptz not null,
  -- for a shared row: the last due time, and how many
  due_until timestamptz,
  slots integer not null default 1,
  by_hand boolean not null default false,
  state text not null
    constraint cron_runs_state_check check (state in ('ran', 'late', 'queued', 'skipped', 'missed')),
  reason text,
  -- written before the run is started, so that after a crash another process starts the same run
  flow_process_id uuid,
  -- start of the lease of the process that starts the run; null: no process has claimed the row
  taken_at timestamptz,
  -- when the engine had stored the run
  started_at timestamptz,
  outcome text constraint cron_runs_outcome_check check (outcome in ('finished', 'error', 'cancelled')),
  created_at timestamptz not null default now()
);
-- A due time is started once, even if the clock jumps.
create unique index cron_runs_slot_key on cron_runs (cron_id, due_at) where not by_hand;
create index cron_runs_newest on cron_runs (cron_id, due_at, id);
-- There must be no second index on open rows by id alone: with it, PostgreSQL read all open rows for each trigger.
create index cron_runs_open on cron_runs (cron_id, id) where state in ('ran', 'late') and outcome is null;
create index cron_runs_waiting on cron_runs (id)
  where state in ('ran', 'late') and outcome is null and started_at is null;
create index cron_runs_queued on cron_runs (cron_id, id) where state = 'queued';
create index cron_runs_created on cron_runs (created_at);
