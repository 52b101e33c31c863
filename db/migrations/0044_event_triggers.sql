-- Triggers that are started by a webhook or by changes of records.
alter table crons drop constraint crons_kind_check;
alter table crons add constraint crons_kind_check check (kind in ('flow', 'webhook', 'record'));
alter table crons alter column schedule drop not null;
-- how deliveries are proven and answered, or which changes start a run
alter table crons add column settings jsonb;

-- The secrets of webhook triggers.
create table webhooks (
  -- the trigger's
  id integer primary key references crons on delete cascade,
  account_id integer not null,
  -- SHA-256 of the secret in the address
  address_hash bytea not null,
  -- the key of signatures, encrypted
  secret bytea,
  secret_key_id text collate "C"
);
create unique index webhooks_address_key on webhooks (address_hash);
create index webhooks_secret on webhooks (id) where secret is not null;
call audit_table('webhooks', 'webhook', '{address_hash,secret}', '{secret_key_id}');

-- What an event tells the flow, until its run is started; and what it is recognized by if it comes again.
alter table cron_runs add column payload json;
alter table cron_runs add column event_key text collate "C";
drop index cron_runs_slot_key;
create unique index cron_runs_slot_key on cron_runs (cron_id, due_at) where not by_hand and event_key is null;
create unique index cron_runs_event_key on cron_runs (cron_id, event_key) where event_key is not null;
