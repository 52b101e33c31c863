-- Recorded runs that a flow's programs are checked against.
create table flow_examples (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  flow_id integer not null references flows on delete cascade,
  name text not null,
  -- the run, its input, the answers of its calls, its steps and its outcome
  recorded json not null,
  created_by_id integer references users on delete set null,
  created_at timestamptz not null default now()
);
create unique index flow_examples_name_key on flow_examples (flow_id, name);
create index flow_examples_account on flow_examples (account_id);
create index flow_examples_creator on flow_examples (created_by_id);
call audit_table('flow_examples', 'flow_example', '{}', '{recorded}');

-- Whether programs under which an example fails are refused.
alter table flows add column guarded boolean not null default false;
