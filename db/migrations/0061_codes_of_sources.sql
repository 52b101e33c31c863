-- Sources name databases, too: db("repairs"), or the address of its records. An app that was saved before is noted at
-- its next save: reading all sources here would delay the start of a server by a time that grows with them.
-- The pattern has no groups that capture or are optional, no bounds and no look-ahead: with any of them PostgreSQL took
-- 30 s for a source of 200 KB, which takes 40 ms without.
create function dbs_of_source(source text) returns table (code text)
language sql immutable
as $$
  select distinct substring(found from '([a-z0-9_-]+).$')
  from (
    select distinct m[1] as found
    from regexp_matches(
      source,
      '(?:\mdb\(\s*["''`]|\mdb<[A-Za-z0-9_]+>\(\s*["''`]|/platform/dbs?/)[a-z0-9_-]+["''`/.?]',
      'g'
    ) m
  ) f
  limit 100
$$;

create or replace function note_codes_of_app() returns trigger language plpgsql as $$
begin
  delete from used_codes where app_id = new.id;
  insert into used_codes (account_id, kind, code, app_id)
  select distinct new.account_id, 'flow', a ->> 'flow_code', new.id
  from jsonb_array_elements(new.actions) a
  where a ->> 'flow_code' is not null;
  insert into used_codes (account_id, kind, code, app_id)
  select new.account_id, 'db', c.code, new.id
  from (
    select new.db_code as code
    union
    select code from dbs_of_source(new.source_code)
  ) c
  where c.code is not null;
  return null;
end
$$;
drop trigger app_codes_updated on apps;
create trigger app_codes_updated after update on apps for each row
  when (
    old.lock_version is distinct from new.lock_version
    or old.source_code is distinct from new.source_code
    or old.actions is distinct from new.actions
    or old.db_code is distinct from new.db_code
  )
  execute function note_codes_of_app();
