-- Named views of a table: its columns, filter, search and order.
create table db_views (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  table_id integer not null references db_tables on delete cascade,
  name text not null,
  name_folded text collate "C" not null,
  -- null once its owner is deleted; only shared views outlive their owners
  owner_id integer references users on delete set null,
  -- null for a shared view
  private_to_id integer references users on delete cascade,
  -- { columns, filter, q, sort } as they were saved; a read leaves out what the table no longer has. json, because
  -- jsonb loses the order of the conditions
  settings json not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
-- A name is taken once among the shared views of a table, and once among those of each user.
create unique index db_views_name_key on db_views (table_id, coalesce(private_to_id, 0), name_folded);
create index db_views_account on db_views (account_id);
create index db_views_owner on db_views (owner_id);
create index db_views_private on db_views (private_to_id);
call audit_table('db_views', 'db_view', '{}', '{name_folded}');
