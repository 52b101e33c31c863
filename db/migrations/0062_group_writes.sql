-- A statement may write rows for several callers at once. Its setting `atrium.actor` then has the actors by the rows' ids:
-- {"each": {"12": actor, …}}. Apart from that, the function is that of 0021_audit.sql.
create or replace function audit_change() returns trigger language plpgsql as $$
declare
  actor jsonb := coalesce(nullif(current_setting('atrium.actor', true), ''), '{"via": "server"}')::jsonb;
  secrets text[] := tg_argv[1];
  ignored text[] := tg_argv[2];
  whole jsonb;
  was jsonb;
  became jsonb;
  secret text;
begin
  if tg_op <> 'INSERT' then
    was := to_jsonb(old) - ignored;
  end if;
  if tg_op <> 'DELETE' then
    became := to_jsonb(new) - ignored;
  end if;
  whole := coalesce(became, was);
  actor := coalesce(actor -> 'each' -> (whole ->> 'id'), actor);
  if tg_op = 'UPDATE' then
    select jsonb_object_agg(key, was -> key), jsonb_object_agg(key, became -> key)
    into was, became
    from jsonb_object_keys(became) key
    where was -> key is distinct from became -> key;
    if became is null then
      return null;
    end if;
  else
    select jsonb_object_agg(key, value) into was from jsonb_each(was) where value <> 'null';
    select jsonb_object_agg(key, value) into became from jsonb_each(became) where value <> 'null';
  end if;
  foreach secret in array secrets loop
    if was ->> secret is not null then
      was := was || jsonb_build_object(secret, '[hidden]');
    end if;
    if became ->> secret is not null then
      became := became || jsonb_build_object(secret, '[hidden]');
    end if;
  end loop;
  insert into audit_entries (account_id, action, object, object_id, user_id, actor, before, after)
  values (
    case tg_table_name when 'accounts' then whole ->> 'id' else whole ->> 'account_id' end::integer,
    case
      when tg_argv[0] = 'session' and tg_op = 'INSERT' then 'sign_in'
      when tg_argv[0] = 'session' and tg_op = 'DELETE' then 'sign_out'
      when tg_op = 'INSERT' then 'create'
      else lower(tg_op)
    end,
    tg_argv[0],
    whole ->> 'id',
    -- who signs in has no session yet
    case when tg_argv[0] = 'session' and tg_op = 'INSERT' then whole ->> 'user_id' else actor ->> 'user_id' end::integer,
    actor - 'user_id',
    audit_bounded(was),
    audit_bounded(became)
  );
  return null;
end
$$;
