-- Which flows, connectors and databases are named by apps and programs. Triggers on both tables keep it, so that every
-- way of writing them does. `crons` has its own index by `target_code`.
create table used_codes (
  account_id integer not null references accounts on delete cascade,
  kind text not null constraint used_codes_kind_check check (kind in ('flow', 'connector', 'db')),
  code text collate "C" not null,
  app_id uuid references apps on delete cascade,
  flow_id integer references flows on delete cascade
);
create index used_codes_code on used_codes (account_id, kind, code);
create index used_codes_app on used_codes (app_id) where app_id is not null;
create index used_codes_flow on used_codes (flow_id) where flow_id is not null;

-- Steps may be nested. `**` also visits their arrays, hence `distinct`.
create function codes_of_program(program jsonb) returns table (kind text, code text)
language sql immutable
as $$
  select distinct 'connector', v #>> '{}'
  from jsonb_path_query(program, '$.** ? (@.type == "connector").connector_code') v
  union
  select distinct 'db', v #>> '{}'
  from jsonb_path_query(program, '$.** ? (@.type == "record").db_code') v
$$;

create function note_codes_of_flow() returns trigger language plpgsql as $$
begin
  delete from used_codes where flow_id = new.id;
  insert into used_codes (account_id, kind, code, flow_id)
  select new.account_id, c.kind, c.code, new.id
  from codes_of_program((new.fields -> 'program')::jsonb) c
  where c.code is not null;
  return null;
end
$$;
create trigger flow_codes_inserted after insert on flows for each row execute function note_codes_of_flow();
create trigger flow_codes_updated after update on flows for each row
  when (old.fields::text is distinct from new.fields::text)
  execute function note_codes_of_flow();

create function note_codes_of_app() returns trigger language plpgsql as $$
begin
  delete from used_codes where app_id = new.id;
  insert into used_codes (account_id, kind, code, app_id)
  select distinct new.account_id, 'flow', a ->> 'flow_code', new.id
  from jsonb_array_elements(new.actions) a
  where a ->> 'flow_code' is not null;
  insert into used_codes (account_id, kind, code, app_id)
  select new.account_id, 'db', new.db_code, new.id
  where new.db_code is not null;
  return null;
end
$$;
create trigger app_codes_inserted after insert on apps for each row execute function note_codes_of_app();
create trigger app_codes_updated after update on apps for each row
  when (old.actions is distinct from new.actions or old.db_code is distinct from new.db_code)
  execute function note_codes_of_app();

insert into used_codes (account_id, kind, code, flow_id)
select f.account_id, c.kind, c.code, f.id
from flows f
cross join lateral codes_of_program((f.fields -> 'program')::jsonb) c
where c.code is not null;
insert into used_codes (account_id, kind, code, app_id)
select distinct p.account_id, 'flow', a ->> 'flow_code', p.id
from apps p
cross join lateral jsonb_array_elements(p.actions) a
where a ->> 'flow_code' is not null
union all
select account_id, 'db', db_code, id
from apps
where db_code is not null;

-- Whether a table has records of departments.
create index records_restricted on records (table_id) where department_id is not null;
