-- Passkeys of users: public keys of WebAuthn credentials.
create table passkeys (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  user_id integer not null references users on delete cascade,
  name text not null,
  -- base64url, as the browser sends it
  credential_id text collate "C" not null,
  -- in COSE form
  public_key bytea not null,
  -- the authenticator's signature counter; 0 where it does not count
  counter bigint not null,
  transports text[] not null,
  -- base64url; the same for all passkeys of a user
  user_handle text collate "C" not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create unique index passkeys_credential_id_key on passkeys (credential_id);
create index passkeys_user on passkeys (user_id, id);
create index passkeys_account on passkeys (account_id);

-- Random values that a browser must bring back, once and soon: with a passkey's signature.
create table sign_in_challenges (
  -- SHA-256
  hash bytea primary key,
  account_id integer not null references accounts on delete cascade,
  purpose text not null,
  -- the user who registers a passkey; null for a sign-in
  user_id integer references users on delete cascade,
  -- what the number of unused ones is limited by: the caller's user or address
  subject text collate "C" not null,
  details jsonb not null,
  created_at timestamptz not null default now()
);
create index sign_in_challenges_account on sign_in_challenges (account_id);
create index sign_in_challenges_user on sign_in_challenges (user_id);
create index sign_in_challenges_subject on sign_in_challenges (subject, created_at);
create index sign_in_challenges_created on sign_in_challenges (created_at);

call audit_table('passkeys', 'passkey', '{}', '{credential_id, public_key, counter, transports, user_handle, last_used_at}');
