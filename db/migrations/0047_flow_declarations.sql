-- What a flow declares: JSON Schemas of its runs' input and output. They belong to a version, like the program.
alter table flows add column input json;
alter table flows add column output json;
alter table flow_versions add column input json;
alter table flow_versions add column output json;
