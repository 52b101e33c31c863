-- The author of a program, of an app's action and of a trigger: the user with whose reach it acts. A run has the author
-- and `runs_as` of its program's version, so a later change does not widen it.
alter table flows
  add column author_id integer references users on delete set null,
  add column runs_as text not null default 'author'
    constraint flows_runs_as_check check (runs_as in ('author', 'caller'));
alter table flow_versions
  add column author_id integer references users on delete set null,
  add column runs_as text not null default 'author'
    constraint flow_versions_runs_as_check check (runs_as in ('author', 'caller'));
alter table crons add column author_id integer references users on delete set null;
-- By the name of the action, the id of the user who wrote it last.
alter table apps add column action_authors jsonb not null default '{}';

create index flows_author on flows (author_id);
create index flow_versions_author on flow_versions (author_id);
create index crons_author on crons (author_id);

-- The authors of existing programs and triggers are not known. They acted with the reach of their whole account, so
-- the account's oldest active admin becomes their author. A program, action or trigger of an account without an active
-- admin does not run until a manager saves it again. An app's creator is known, and becomes the author of its actions.
create temporary table oldest_admins on commit drop as
  select distinct on (account_id) account_id, id
  from users
  where role = 'admin'
    and active
  order by account_id, id;
update flows f set author_id = a.id from oldest_admins a where a.account_id = f.account_id;
update flow_versions v set author_id = f.author_id from flows f where f.id = v.flow_id;
update crons c set author_id = a.id from oldest_admins a where a.account_id = c.account_id;
update apps p
set action_authors = (
  select coalesce(jsonb_object_agg(e.action ->> 'action', coalesce(p.created_by_id, a.id)), '{}')
  from jsonb_array_elements(p.actions) e (action)
  left join oldest_admins a on a.account_id = p.account_id
)
where jsonb_array_length(p.actions) > 0;
