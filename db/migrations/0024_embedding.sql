-- Which pages may show an account's apps in frames, what happens to users that hosts name and the account does not know,
-- and the keys with which hosts vouch for their users.
alter table accounts
  -- origins, as frame-ancestors writes them
  add column embedding_hosts text[] not null default '{}',
  add column embedding_unknown_users text not null default 'refuse'
    constraint accounts_embedding_unknown_users_check check (embedding_unknown_users in ('refuse', 'create_guest'));

create table embedding_keys (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  name text not null,
  -- encrypted, because verifying a JWT needs the clear secret
  secret bytea not null,
  secret_key_id text not null,
  created_by_id integer references users on delete set null,
  created_at timestamptz not null default now()
);
create index embedding_keys_account on embedding_keys (account_id, id);
create index embedding_keys_created_by on embedding_keys (created_by_id);

call audit_table('embedding_keys', 'embedding_key', '{}', '{secret, secret_key_id}');

create trigger embedding_keys_changed after delete on embedding_keys
  for each row execute function tell_viewers_changed();

create function tell_embedding_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('embedding_changed', new.id::text);
  return null;
end
$$;
create trigger accounts_embedding_changed after update of embedding_hosts on accounts
  for each row execute function tell_embedding_changed();
