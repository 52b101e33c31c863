-- Names of inputs that are never shown. They belong to a version, like the program.
alter table flows add column secret_inputs text[] not null default '{}';
alter table flow_versions add column secret_inputs text[] not null default '{}';

-- The values of a run's secret inputs: the id of the key, a colon, and the ciphertext in base64, bound to the run.
alter table flow_processes add column sealed text collate "C";
create index flow_processes_sealed on flow_processes (id) where sealed is not null;
-- Those of the run that the example was recorded from, bound to that run.
alter table flow_examples add column sealed text collate "C";

drop trigger audited on flow_examples;
drop trigger audited_updates on flow_examples;
call audit_table('flow_examples', 'flow_example', '{}', '{recorded, sealed}');
