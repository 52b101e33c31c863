-- The flow that is called when a run ends in error. It belongs to a version, like the program.
alter table flows add column on_failure text collate "C";
alter table flow_versions add column on_failure text collate "C";

-- The failed run that started this one, and the run that this failed one has started.
alter table flow_processes add column failure_of uuid;
alter table flow_processes add column failure_run_id uuid;
alter table flow_waits add column failure_of uuid;

-- Flows that steps and on_failure name are in use, too.
create or replace function codes_of_program(program jsonb) returns table (kind text, code text)
language sql immutable
as $$
  select distinct 'connector', v #>> '{}'
  from jsonb_path_query(program, '$.** ? (@.type == "connector").connector_code') v
  union
  select distinct 'db', v #>> '{}'
  from jsonb_path_query(program, '$.** ? (@.type == "record").db_code') v
  union
  select distinct 'flow', v #>> '{}'
  from jsonb_path_query(program, '$.** ? (@.type == "flow").flow_code') v
$$;

create or replace function note_codes_of_flow() returns trigger language plpgsql as $$
begin
  delete from used_codes where flow_id = new.id;
  insert into used_codes (account_id, kind, code, flow_id)
  select new.account_id, c.kind, c.code, new.id
  from (
    select * from codes_of_program((new.fields -> 'program')::jsonb)
    union
    select 'flow', new.on_failure
  ) c
  where c.code is not null;
  return null;
end
$$;
drop trigger flow_codes_updated on flows;
create trigger flow_codes_updated after update on flows for each row
  when (old.fields::text is distinct from new.fields::text or old.on_failure is distinct from new.on_failure)
  execute function note_codes_of_flow();

insert into used_codes (account_id, kind, code, flow_id)
select f.account_id, c.kind, c.code, f.id
from flows f
cross join lateral codes_of_program((f.fields -> 'program')::jsonb) c
where c.kind = 'flow'
  and c.code is not null;
