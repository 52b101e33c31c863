-- The run whose step `flow` has started this one.
alter table flow_processes add column parent_id uuid;
alter table flow_waits add column parent_id uuid;
