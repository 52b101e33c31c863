-- Boards of tiles. The tiles are kept as they were sent; a read leaves out those whose app the user does not have.
create table dashboards (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  -- null: the account's default board
  user_id integer references users on delete cascade,
  -- [{ app_id, x, y, w, h }]
  tiles jsonb not null,
  updated_at timestamptz not null default now()
);
create unique index dashboards_user_key on dashboards (account_id, user_id) where user_id is not null;
create unique index dashboards_default_key on dashboards (account_id) where user_id is null;
create index dashboards_user on dashboards (user_id);
