-- Users as a provider of OpenID Connect names them. Only issuer and subject identify; the e-mail address is for display.
create table identities (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  user_id integer not null references users on delete cascade,
  issuer text collate "C" not null,
  subject text collate "C" not null,
  email text,
  created_at timestamptz not null default now(),
  -- null until the first sign-in
  last_used_at timestamptz
);
create unique index identities_subject_key on identities (account_id, issuer, subject);
create index identities_user on identities (user_id, id);

alter table accounts
  -- whether a first sign-in with OpenID Connect creates a user
  add column oidc_creates_users boolean not null default false,
  -- whether passwords and passkeys are refused
  add column oidc_only boolean not null default false;

call audit_table('identities', 'identity', '{}', '{last_used_at}');
