-- A flow keeps its newest 100 earlier versions. `dropped_at` is when a version left them, or when its flow was deleted; the
-- sweep deletes it after the runs that used it.
alter table flow_versions add column dropped_at timestamptz;
update flow_versions v
set dropped_at = v.replaced_at
where v.replaced_at is not null
  and not exists (select from flows f where f.id = v.flow_id and v.version >= f.version - 100);
drop index flow_versions_replaced;
create index flow_versions_dropped on flow_versions (dropped_at) where dropped_at is not null;
