-- Of a run that has ended: its steps that failed, also where the flow went on, and the warnings of all its steps.
alter table flow_processes
  add column failed_steps integer not null default 0,
  add column warnings integer not null default 0;
