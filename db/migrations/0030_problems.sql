-- Whether a failed run was repeated, and the triggers that are in trouble.
create index flow_processes_retry on flow_processes (retry_of) where retry_of is not null;
create index crons_troubled on crons (account_id, id) where paused_reason is not null or last_status = 'error';
