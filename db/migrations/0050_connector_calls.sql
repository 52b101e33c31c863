-- How often connectors were called, failed, and how long that took, by hour in UTC.
create table connector_calls (
  connector_id integer not null references connectors on delete cascade,
  hour timestamptz not null,
  account_id integer not null references accounts on delete cascade,
  calls integer not null,
  failures integer not null,
  total_ms bigint not null,
  most_ms integer not null,
  -- of the newest failure of the hour: { method, kind, message }, without the secret
  failed_at timestamptz,
  last_failure json,
  primary key (connector_id, hour)
);
create index connector_calls_account on connector_calls (account_id);
create index connector_calls_hour on connector_calls (hour);
create index connector_calls_failed on connector_calls (connector_id, hour) where failed_at is not null;
