-- The end of what a run awaits makes the run due in the same transaction. An end that is being recorded while the run begins
-- to wait may not see its row yet, so each row is compared once more after a minute, which is longer than a statement takes.
alter table flow_waits add column check_after timestamptz;
update flow_waits set check_after = now() where wake_at is not null and awaits <> '{}';
create index flow_waits_check on flow_waits (check_after) where check_after is not null;
drop index flow_waits_awaits;
