-- What a user has typed into a flow's program and not saved. One for each user and flow.
create table flow_drafts (
  user_id integer not null references users on delete cascade,
  flow_id integer not null references flows on delete cascade,
  account_id integer not null references accounts on delete cascade,
  -- null: discarded; the row is kept for an hour, so that a late request does not bring the draft back
  program_text text,
  -- the saved program that the draft was made from
  base_text text not null default '',
  -- the lock_version of the flow that the draft was made from
  base_lock_version integer not null,
  -- the client's count of its writes
  revision bigint not null,
  updated_at timestamptz not null default now(),
  primary key (user_id, flow_id)
);
create index flow_drafts_flow on flow_drafts (flow_id);
create index flow_drafts_account on flow_drafts (account_id);
create index flow_drafts_discarded on flow_drafts (updated_at) where program_text is null;
