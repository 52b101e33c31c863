-- A version of a program outlives its flow, because runs of the deleted flow can still be inspected. The sweep deletes it
-- after them.
alter table flow_versions
  add column account_id integer references accounts on delete cascade,
  drop constraint flow_versions_flow_id_fkey;
update flow_versions v set account_id = f.account_id from flows f where f.id = v.flow_id;
alter table flow_versions alter column account_id set not null;
create index flow_versions_account on flow_versions (account_id);
