-- What a host page vouched for when it started the run: its result is for a page with the same rights.
alter table flow_processes add column granted jsonb;
