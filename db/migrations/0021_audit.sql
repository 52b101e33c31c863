-- The audit log: one row for each change, in the transaction of the change. It has no foreign keys, because its rows
-- outlive what they name.
create table audit_entries (
  account_id integer not null,
  -- version 7 with microseconds: the order of ids is the order of time, and an id says its time
  id uuid not null,
  -- create, update, delete, batch, sign_in, sign_in_failed, sign_out
  action text collate "C" not null,
  -- the kind of the changed object, such as department
  object text collate "C" not null,
  -- null where the object is not known, as for a sign-in with an unknown login
  object_id text collate "C",
  -- of a record: its database
  db_id integer,
  -- the acting user; null without a login
  user_id integer,
  -- via: session, token, page, anonymous, run, command, server; and of these id, app_id, address, request_id
  actor jsonb not null,
  -- the changed fields; long values are truncated, secrets are hidden
  before jsonb,
  after jsonb,
  primary key (account_id, id)
);
create index audit_entries_user on audit_entries (account_id, user_id, id) where user_id is not null;
create index audit_entries_one on audit_entries (account_id, object, object_id, id);
-- Most rows are of records, and a list of their rows reads the primary key.
create index audit_entries_object on audit_entries (account_id, object, id) where object <> 'record';
create index audit_entries_action on audit_entries (account_id, action, id) where object <> 'record';

create function new_audit_id() returns uuid
language sql volatile parallel safe
return (
  select (
    lpad(to_hex(micros / 1000), 12, '0') || to_hex(28672 + micros % 1000 * 4)
    || right(replace(gen_random_uuid()::text, '-', ''), 16)
  )::uuid
  from (values ((date_part('epoch', clock_timestamp()) * 1000000)::bigint)) t (micros)
);
alter table audit_entries alter column id set default new_audit_id();

create function audit_time(id uuid) returns timestamptz
language sql immutable parallel safe
return to_timestamp(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0);

-- Fields as the log keeps them: at most 100, each of at most 1,000 characters, with a mark where more is left out.
create function audit_bounded(fields jsonb) returns jsonb
language sql immutable parallel safe strict
return case
  when length(fields::text) <= 1000 then fields
  else (
    select coalesce(jsonb_object_agg(key, case
      when n > 100 then to_jsonb('and more fields'::text)
      when length(value #>> '{}') > 1000
      then jsonb_build_object('truncated', left(value #>> '{}', 1000), 'characters', length(value #>> '{}'))
      else value
    end), '{}')
    from (
      select case when n > 100 then '…' else key end as key, value, n
      from jsonb_each(fields) with ordinality e (key, value, n)
      where n <= 101
    ) e
  )
end;

-- Writes the row of a changed row. Arguments: the object's kind; secret columns, of which only the change shows;
-- columns that are derived or kept by the server, whose changes are none.
create function audit_change() returns trigger language plpgsql as $$
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

-- Rows for a change of memberships: one for each owner, with the removed ids as `before`, or the added ones as `after`.
-- Arguments: the owner's kind, its table, its column and the member's column.
create function audit_members() returns trigger language plpgsql as $$
declare
  actor jsonb := coalesce(nullif(current_setting('atrium.actor', true), ''), '{"via": "server"}')::jsonb;
begin
  execute format(
    $sql$
      insert into audit_entries (account_id, action, object, object_id, user_id, actor, before, after)
      select
        o.account_id, 'update', $1, o.id::text, ($2 ->> 'user_id')::integer, $2 - 'user_id',
        case $3 when 'DELETE' then audit_bounded(c.fields) end,
        case $3 when 'INSERT' then audit_bounded(c.fields) end
      from (
        select %1$I as owner, jsonb_build_object(%2$L, jsonb_agg(%3$I order by %3$I)) as fields
        from changed
        group by 1
      ) c
      join %4$I o on o.id = c.owner
    $sql$,
    tg_argv[2], tg_argv[3] || 's', tg_argv[3], tg_argv[1]
  )
  using tg_argv[0], actor, tg_op;
  return null;
end
$$;

-- Makes the changes of a table part of the audit log. What a deletion takes with it is not repeated, so the triggers do
-- not run for cascades.
--
-- secrets: columns whose values never appear; ignored: columns that are derived, or kept by the server for itself;
-- changed_when: a condition on `old` and `new`, for tables whose ignored columns change often
create procedure audit_table(
  watched regclass, object text, secrets text[] default '{}', ignored text[] default '{}', changed_when text default 'true'
)
language plpgsql as $$
begin
  ignored := ignored || '{created_at, updated_at, lock_version, name_folded}';
  execute format(
    'create trigger audited after insert or delete on %s
     for each row when (pg_trigger_depth() = 0) execute function audit_change(%L, %L, %L)',
    watched, object, secrets, ignored
  );
  execute format(
    'create trigger audited_updates after update on %s
     for each row when (pg_trigger_depth() = 0 and (%s)) execute function audit_change(%L, %L, %L)',
    watched, changed_when, object, secrets, ignored
  );
end
$$;

create procedure audit_members_table(watched regclass, object text, owners regclass, owner_column text, member_column text)
language plpgsql as $$
begin
  execute format(
    'create trigger audited_added after insert on %s referencing new table as changed
     for each statement when (pg_trigger_depth() = 0) execute function audit_members(%L, %L, %L, %L)',
    watched, object, owners, owner_column, member_column
  );
  execute format(
    'create trigger audited_removed after delete on %s referencing old table as changed
     for each statement when (pg_trigger_depth() = 0) execute function audit_members(%L, %L, %L, %L)',
    watched, object, owners, owner_column, member_column
  );
end
$$;

call audit_table('accounts', 'account');
call audit_table('users', 'user_setting', '{password_hash}', '{login_folded, email_folded}');
call audit_table('tokens', 'token', '{}', '{hash, last_used_at}');
call audit_table('sessions', 'session', '{}', '{hash, last_seen_at}');
call audit_table('departments', 'department');
call audit_table('teams', 'team');
call audit_table('groups', 'group');
call audit_table('mailboxes', 'mailbox');
call audit_table('apps', 'app', '{}', '{app_code, css_code, imports, scripts, asks, app_build_time, css_build_time}');
call audit_table('dbs', 'db', '{}', '{live_until}');
call audit_table('connectors', 'connector', '{secret_token}', '{}');
call audit_table('flows', 'flow');
call audit_table('dashboards', 'dashboard');
call audit_table(
  'crons', 'cron', '{}', '{sentence, next_run_at, last_run_at, last_run_id, last_status, failures}',
  'old.lock_version <> new.lock_version or old.active <> new.active'
);

call audit_members_table('team_users', 'user_setting', 'users', 'user_id', 'team_id');
call audit_members_table('group_users', 'user_setting', 'users', 'user_id', 'group_id');
call audit_members_table('department_users', 'user_setting', 'users', 'user_id', 'department_id');
call audit_members_table('department_mailboxes', 'department', 'departments', 'department_id', 'mailbox_id');

-- The sweep alone deletes rows, and only those that have been kept long enough.
create function keep_audit_entries() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if current_setting('atrium.audit_sweep', true) = 'on' and audit_time(old.id) < now() - interval '400 days' then
      return old;
    end if;
  end if;
  raise exception 'the audit log is only added to' using errcode = 'insufficient_privilege';
end
$$;
create trigger kept before update or delete on audit_entries for each row execute function keep_audit_entries();
create trigger never_truncated before truncate on audit_entries for each statement execute function keep_audit_entries();
