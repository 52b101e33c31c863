-- Retries of all failed runs that match a filter.
create table flow_retries (
  id uuid primary key,
  account_id integer not null references accounts on delete cascade,
  user_id integer not null references users on delete cascade,
  filter jsonb not null,
  -- the failed runs that matched at its begin, counted to 10,000
  total integer not null,
  done integer not null default 0,
  -- the first refusals: run, and why
  refusals jsonb not null default '[]',
  refused integer not null default 0,
  -- the run that was repeated last; those before it in time are left
  last_id uuid,
  state text collate "C" not null default 'running' check (state in ('running', 'finished', 'cancelled')),
  -- until then a process works on it
  claimed_until timestamptz,
  created_at timestamptz not null default now()
);
create index flow_retries_user on flow_retries (user_id) where state = 'running';
create index flow_retries_account on flow_retries (account_id);
create index flow_retries_created on flow_retries (created_at);
