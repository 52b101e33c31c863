-- The input of a trigger's runs; null: what the kind of trigger gives.
alter table crons add column input jsonb;
-- What a trigger's run knows of its trigger: `trigger` of templates.
alter table flow_processes add column trigger_data json;
