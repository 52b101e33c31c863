-- How many runs of a flow may be in progress, and what happens to a further one. Not part of a version.
alter table flows add column max_at_once integer;
alter table flows add column overlap text collate "C" not null default 'queue' check (overlap in ('queue', 'skip'));

-- Turns of runs whose flow has `max_at_once`. A run holds its turn until it ends.
create table flow_turns (
  run_id uuid primary key,
  account_id integer not null references accounts on delete cascade,
  flow_id integer not null,
  -- the place in the queue
  number bigint generated always as identity,
  -- null while it is queued
  held_since timestamptz
);
create index flow_turns_queued on flow_turns (flow_id, number) where held_since is null;
create index flow_turns_held on flow_turns (flow_id, run_id) where held_since is not null;
create index flow_turns_account on flow_turns (account_id);
