-- The id that Deno KV must have as well. Processes with different KV stores would execute one run twice and not see each
-- other's runs, so a process whose store has another id, or none, does not start.
create table kv_identity (
  single boolean primary key default true constraint kv_identity_single_check check (single),
  id uuid not null default gen_random_uuid(),
  -- A store has the id. The first process that starts writes it there.
  bound boolean not null default false
);

insert into kv_identity default values;
