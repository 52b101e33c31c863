-- The OAuth token of a connector with auth oauth2_client_credentials, encrypted like its secret.
create table connector_tokens (
  connector_id integer primary key references connectors on delete cascade,
  account_id integer not null,
  -- the connector's when the token was requested: a changed connector needs another token
  lock_version integer not null,
  token bytea,
  token_key_id text collate "C",
  expires_at timestamptz,
  -- until then one process requests a token
  claimed_until timestamptz
);
