-- Open invitations. Only the SHA-256 of an invitation's secret is stored.
create table invitations (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  -- whose role and departments limit the invitation, also at the time of its use
  invited_by integer not null references users on delete cascade,
  email text not null,
  email_folded text collate "C" not null,
  name text not null,
  role text not null constraint invitations_role_check check (role in ('guest', 'user', 'manager', 'admin')),
  hash bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create unique index invitations_hash_key on invitations (hash);
create unique index invitations_email_key on invitations (account_id, email_folded);
create index invitations_account on invitations (account_id, id);
create index invitations_inviter on invitations (invited_by);
create index invitations_expiry on invitations (expires_at);

create table invitation_departments (
  invitation_id integer not null references invitations on delete cascade,
  department_id integer not null references departments on delete cascade,
  primary key (invitation_id, department_id)
);
create index invitation_departments_department on invitation_departments (department_id);

-- Links by which a user chooses a new password; the latest of each user. Only the SHA-256 of the secret is stored.
create table password_resets (
  user_id integer primary key references users on delete cascade,
  account_id integer not null references accounts on delete cascade,
  hash bytea not null,
  expires_at timestamptz not null
);
create unique index password_resets_hash_key on password_resets (hash);
create index password_resets_account on password_resets (account_id);
create index password_resets_expiry on password_resets (expires_at);

call audit_table('invitations', 'invitation', '{}', '{hash, email_folded}');
call audit_members_table('invitation_departments', 'invitation', 'invitations', 'invitation_id', 'department_id');
call audit_table('password_resets', 'password_reset', '{}', '{hash}');
