-- When a connector with `per_second` may be called next. A crash of PostgreSQL may empty the table.
create unlogged table connector_paces (
  connector_id integer primary key references connectors on delete cascade,
  account_id integer not null,
  next_at timestamptz not null
);
