-- Who may answer an open question, as words such as `7/user/12`, `7/department/3` and `7/role/admin` of the account 7. Empty
-- once the question was answered or its time is over.
alter table flow_approvals add column audience text[] collate "C" not null default '{}';
update flow_approvals
set
  audience = array(
    select account_id || '/user/' || id from unnest(user_ids) id
    union all
    select account_id || '/department/' || id from unnest(department_ids) id
    union all
    select account_id || '/role/' || role from unnest(roles) role
  )
where answered_at is null
  and expires_at > now();
create index flow_approvals_audience on flow_approvals using gin (audience);
create index flow_approvals_over on flow_approvals (expires_at) where audience <> '{}';
drop index flow_approvals_open;

drop trigger audited_updates on flow_approvals;
create trigger audited_updates after update on flow_approvals
for each row when (pg_trigger_depth() = 0 and old.answered_at is null and new.answered_at is not null)
execute function audit_change('approval', '{}', '{answered_at,audience}');
