-- What a user has typed into an app's source and not published. One for each user and app.
create table app_drafts (
  user_id integer not null references users on delete cascade,
  app_id uuid not null references apps on delete cascade,
  account_id integer not null references accounts on delete cascade,
  -- null: discarded; the row is kept for an hour, so that a late request does not bring the draft back
  source_code text,
  -- null: the app's
  css_engine text,
  -- the lock_version of the app that the draft was made from
  base_lock_version integer not null,
  -- the client's count of its writes
  revision bigint not null,
  updated_at timestamptz not null default now(),
  primary key (user_id, app_id)
);
create index app_drafts_app on app_drafts (app_id);
create index app_drafts_account on app_drafts (account_id);
create index app_drafts_updated on app_drafts (user_id, updated_at, app_id) where source_code is not null;
create index app_drafts_discarded on app_drafts (updated_at) where source_code is null;
