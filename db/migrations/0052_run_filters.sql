-- What runs are found by: hashes of the single values of their input. Those of runs that ended before are not known.
create table flow_inputs (
  account_id integer not null references accounts on delete cascade,
  term bigint not null,
  run_id uuid not null,
  primary key (account_id, term, run_id)
);
-- The same of one run, which name its rows of `flow_inputs` when it is deleted.
alter table flow_processes add column input_terms bigint[];

-- Runs of a user and of a trigger. What failed is found without reading what has not.
create index flow_processes_user on flow_processes (account_id, user_id, id) where user_id is not null;
create index flow_processes_cron on flow_processes (account_id, cron_id, id) where cron_id is not null;
create index flow_processes_flow_status on flow_processes (account_id, flow_code, status, id)
  where status <> 'finished';
create index flow_processes_user_status on flow_processes (account_id, user_id, status, id)
  where user_id is not null and status <> 'finished';
create index flow_processes_cron_status on flow_processes (account_id, cron_id, status, id)
  where cron_id is not null and status <> 'finished';

-- How many runs ended in which way, by the day of their creation in UTC. Counted when runs are deleted, so that charts go
-- back further than the runs.
create table flow_outcomes (
  account_id integer not null references accounts on delete cascade,
  day date not null,
  flow_code text collate "C" not null,
  trigger text not null,
  status text not null,
  -- may have been deleted since
  department_id integer,
  count integer not null
);
create unique index flow_outcomes_key
  on flow_outcomes (account_id, day, flow_code, trigger, status, coalesce(department_id, 0));
create index flow_outcomes_day on flow_outcomes (day);
