-- Sessions of agents at /mcp. The id is the header Mcp-Session-Id.
create table agent_sessions (
  id uuid primary key,
  account_id integer not null references accounts on delete cascade,
  user_id integer not null references users on delete cascade,
  -- the API token that began the session, and the only one that continues it
  token_id integer not null,
  -- as the client says: its name and version
  name text not null,
  version text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  -- null until the client ends it
  ended_at timestamptz,
  -- null until its changes are undone
  undone_at timestamptz
);
create index agent_sessions_account on agent_sessions (account_id, id);
create index agent_sessions_user on agent_sessions (user_id, id);
create index agent_sessions_seen on agent_sessions (last_seen_at);

-- What a session changed, with the whole state before it, written in the transaction of the change.
create table agent_changes (
  account_id integer not null references accounts on delete cascade,
  session_id uuid not null references agent_sessions on delete cascade,
  id uuid not null default new_audit_id(),
  -- as in the audit log: app, db, flow, cron, record
  object text not null,
  object_id text not null,
  -- of a record: its database
  db_id integer,
  -- create, update, delete
  action text not null,
  -- json, because the order of a schema's fields matters; null for a create
  before json,
  primary key (session_id, id)
);
create index agent_changes_account on agent_changes (account_id);

-- Destructive calls of agents that a person accepts or declines in the console.
create table agent_confirmations (
  id uuid primary key,
  account_id integer not null references accounts on delete cascade,
  session_id uuid not null references agent_sessions on delete cascade,
  -- the caller, whose token alone may use it
  user_id integer not null references users on delete cascade,
  token_id integer not null,
  -- SHA-256 of the tool's name and arguments
  call_hash bytea not null,
  tool text not null,
  -- the plan that the person reads: a title, lines with counts, and the state that it was made for
  plan json not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  answered_at timestamptz,
  -- null until it is answered
  accepted boolean,
  answered_by_id integer references users on delete set null,
  -- null until the call is made
  used_at timestamptz
);
create index agent_confirmations_account on agent_confirmations (account_id, id);
create index agent_confirmations_session on agent_confirmations (session_id, id);
create index agent_confirmations_user on agent_confirmations (user_id, id);
create index agent_confirmations_answered_by on agent_confirmations (answered_by_id);
create index agent_confirmations_expires on agent_confirmations (expires_at);
create trigger audited after insert on agent_confirmations
for each row when (pg_trigger_depth() = 0)
execute function audit_change('agent_confirmation', '{}', '{created_at,call_hash}');
create trigger audited_updates after update on agent_confirmations
for each row when (pg_trigger_depth() = 0 and old.answered_at is null and new.answered_at is not null)
execute function audit_change('agent_confirmation', '{}', '{answered_at}');

-- The entries of an agent's session.
create index audit_entries_agent on audit_entries (account_id, (actor -> 'agent' ->> 'session'), id)
where actor ? 'agent';
