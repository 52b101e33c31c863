-- The live processes of the server. Each writes its row every ten seconds. A crash of PostgreSQL may empty the table.
create unlogged table server_processes (
  id uuid primary key,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  report json not null
);
