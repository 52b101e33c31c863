-- Questions of runs that wait for a person's answer.
create table flow_approvals (
  -- derived from the run and the place of its step
  id uuid primary key,
  account_id integer not null references accounts on delete cascade,
  -- the flow's
  department_id integer references departments on delete set null,
  run_id uuid not null,
  place text collate "C" not null,
  flow_code text collate "C" not null,
  question text not null,
  choices json not null,
  form json not null,
  -- who may answer
  roles text[] not null,
  user_ids integer[] not null,
  department_ids integer[] not null,
  link boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  answered_at timestamptz,
  -- null for an answer by the link
  answered_by integer references users on delete set null,
  choice text,
  "values" json
);
create index flow_approvals_open on flow_approvals (account_id, id) where answered_at is null;
create index flow_approvals_expiry on flow_approvals (expires_at);
create index flow_approvals_user on flow_approvals (answered_by) where answered_by is not null;
create index flow_approvals_department on flow_approvals (department_id) where department_id is not null;

-- The log has answers. Questions are part of their runs.
create trigger audited_updates after update on flow_approvals
for each row when (pg_trigger_depth() = 0 and old.answered_at is null and new.answered_at is not null)
execute function audit_change('approval', '{}', '{answered_at}');
