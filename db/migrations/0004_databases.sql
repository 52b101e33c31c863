create table dbs (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  department_id integer references departments on delete set null,
  name text not null,
  name_folded text collate "C" not null,
  code text collate "C" not null,
  -- json, because jsonb loses the order of the fields
  schema json not null,
  public_methods jsonb not null default '{}',
  -- writes per minute and address of callers without a login; 0 allows none
  public_write_limit integer not null default 60,
  -- until then, writes store their changes for subscribers
  live_until timestamptz,
  lock_version integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index dbs_code_key on dbs (account_id, code);
create index dbs_created on dbs (account_id, created_at, id);
create index dbs_updated on dbs (account_id, updated_at, id);
create index dbs_name on dbs (account_id, name_folded, id);
create index dbs_department on dbs (department_id);

-- The sweep deletes tables without a database, with their records, in small batches. Numbers are never used again.
create table db_tables (
  id integer generated always as identity primary key,
  db_id integer references dbs on delete set null,
  name text collate "C" not null,
  -- the fields that `q` searches, by their position in a record's `search`; positions are only added
  searched text[] not null default '{}'
);
create index db_tables_db on db_tables (db_id);
create index db_tables_dropped on db_tables (id) where db_id is null;

-- The progress of schema changes, written outside of their transaction so that other transactions see it.
create unlogged table reindexings (
  db_id integer primary key,
  done integer not null,
  total integer not null,
  -- old rows belong to processes that have died
  told_at timestamptz not null default now()
);

-- Notifies the processes that cache definitions.
create function tell_db_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('db_changed', old.id::text);
  return null;
end
$$;
create trigger db_changed after update or delete on dbs for each row execute function tell_db_changed();

-- All records of all databases. Plain lists of a table use records_table; lists that filter or sort by an indexed field
-- use the index of its slot. A slot in use is never null: a blank is the lowest value of its type, so that the index
-- contains every row. Unused slots cost nothing.
create table records (
  -- version 7: the order of ids is the order of creation
  id uuid not null,
  table_id integer not null,
  data jsonb not null,
  -- the folded values of string and text fields, by their position in the definition
  search text[] not null,
  department_id integer references departments on delete set null,
  created_by_id integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  str_1 text collate "C",
  str_2 text collate "C",
  str_3 text collate "C",
  int_1 bigint,
  int_2 bigint,
  time_1 timestamptz,
  time_2 timestamptz,
  primary key (id)
);
create index records_table on records (table_id, created_at, id);
create index records_updated on records (table_id, updated_at, id);
create index records_department on records (department_id) where department_id is not null;
create index records_str_1 on records (table_id, str_1, id) where str_1 is not null;
create index records_str_2 on records (table_id, str_2, id) where str_2 is not null;
create index records_str_3 on records (table_id, str_3, id) where str_3 is not null;
create index records_int_1 on records (table_id, int_1, id) where int_1 is not null;
create index records_int_2 on records (table_id, int_2, id) where int_2 is not null;
create index records_time_1 on records (table_id, time_1, id) where time_1 is not null;
create index records_time_2 on records (table_id, time_2, id) where time_2 is not null;

-- The changes of databases with subscribers. Each database numbers them in the order of commits: the row of db_feeds is
-- locked from the assignment of a number until the commit.
create table db_feeds (
  db_id integer primary key references dbs on delete cascade,
  seq bigint not null default 0,
  -- record_changes has every change after this one; a subscriber from before it must list the records again
  complete_from bigint not null default 0
);
create table record_changes (
  db_id integer not null,
  seq bigint not null,
  table_id integer not null,
  record_id uuid not null,
  kind text not null,
  -- the row before and after; null if there is none
  was jsonb,
  became jsonb,
  created_at timestamptz not null default now(),
  primary key (db_id, seq)
);
create index record_changes_created on record_changes (created_at);

-- The text that `q` searches. Fields are separated by a control character.
create function search_text(search text[]) returns text
language sql immutable parallel safe
return array_to_string(search, E'\x1f');

-- Trigrams make `q` fast on large tables. Without the extension, a search reads the table. The index does not contain
-- table_id: with it, each search read the list of all records of the table, which was three times as slow.
do $$
begin
  create extension if not exists pg_trgm;
  execute 'create index records_search on records using gin (search_text(search) gin_trgm_ops)';
exception
  when insufficient_privilege or undefined_file or feature_not_supported or undefined_object then
    raise notice 'no trigram index: %', sqlerrm;
end
$$;

-- Counts of writes by callers without a login, in the minute of their last write (minutes since 1970). Unlogged, so
-- after a crash all counts start at zero.
create unlogged table public_writes (
  db_id integer not null,
  address text collate "C" not null,
  minute integer not null,
  count integer not null,
  primary key (db_id, address)
);
create index public_writes_minute on public_writes (minute);
