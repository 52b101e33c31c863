-- One row that /readyz updates: a database that answers reads may still refuse writes, as with a full disk.
create table readiness (
  id boolean primary key default true check (id),
  checked_at timestamptz not null default now()
);

insert into readiness default values;
