-- When each user was last seen and last signed in. It outlives sessions and tokens. It has no foreign keys: a check of
-- one would lock users and accounts while the times of many sessions are written.
create table user_activity (
  user_id integer primary key,
  last_seen_at timestamptz not null,
  -- null where the user has used tokens only
  last_sign_in_at timestamptz
);

create function note_sessions() returns trigger language plpgsql as $$
begin
  insert into user_activity as a (user_id, last_seen_at, last_sign_in_at)
  select user_id, max(last_seen_at), max(created_at)
  from changed
  group by 1
  order by 1
  on conflict (user_id) do update
  set
    last_seen_at = greatest(a.last_seen_at, excluded.last_seen_at),
    last_sign_in_at = greatest(a.last_sign_in_at, excluded.last_sign_in_at);
  return null;
end
$$;
create trigger sessions_noted after insert on sessions
  referencing new table as changed for each statement execute function note_sessions();
create trigger sessions_seen after update on sessions
  referencing new table as changed for each statement execute function note_sessions();

create function note_tokens() returns trigger language plpgsql as $$
begin
  insert into user_activity as a (user_id, last_seen_at)
  select user_id, max(last_used_at)
  from changed
  where last_used_at is not null
  group by 1
  order by 1
  on conflict (user_id) do update set last_seen_at = greatest(a.last_seen_at, excluded.last_seen_at);
  return null;
end
$$;
create trigger tokens_seen after update on tokens
  referencing new table as changed for each statement execute function note_tokens();

create function forget_user_activity() returns trigger language plpgsql as $$
begin
  delete from user_activity where user_id = old.id;
  return null;
end
$$;
create trigger users_forgotten after delete on users for each row execute function forget_user_activity();

-- What is known so far: the audit log has the sign-ins of sessions that have ended.
insert into user_activity (user_id, last_seen_at, last_sign_in_at)
select user_id, max(seen_at), max(signed_in_at)
from (
  select user_id, last_seen_at as seen_at, created_at as signed_in_at from sessions
  union all
  select user_id, last_used_at, null from tokens where last_used_at is not null
  union all
  select user_id, audit_time(id), audit_time(id) from audit_entries where action = 'sign_in' and object <> 'record'
) known
where user_id in (select id from users)
group by 1;
