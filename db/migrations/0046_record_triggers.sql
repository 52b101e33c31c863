-- Triggers of kind `record`: how far each has read the feed of its database.
create table record_cursors (
  -- the trigger's
  id integer primary key references crons on delete cascade,
  account_id integer not null,
  -- null: the database was deleted
  db_id integer references dbs on delete set null,
  -- the last change that was passed to the flow, or that does not concern the trigger
  seq bigint not null
);
create index record_cursors_db on record_cursors (db_id) where db_id is not null;
create index record_cursors_gone on record_cursors (id) where db_id is null;
create index crons_record_db on crons (account_id, (settings ->> 'db_code'), id) where kind = 'record';

-- The trigger whose run made the change.
alter table record_changes add column by_cron_id integer;
-- Every change of a record after this one is stored. `complete_from` also moves when what subscribers may see changes.
alter table db_feeds add column kept_from bigint not null default 0;
update db_feeds set kept_from = complete_from;
-- `infinity` while a trigger follows the database.
create index dbs_held on dbs (id) where live_until = 'infinity';
