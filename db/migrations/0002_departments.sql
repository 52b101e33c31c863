-- Uploaded logos, named by their hash. They are never deleted, because sent mails refer to them.
create table logos (
  file text collate "C" primary key,
  content_type text not null,
  body bytea not null,
  created_at timestamptz not null default now()
);

create table departments (
  id integer generated always as identity primary key,
  account_id integer not null references accounts on delete cascade,
  name text not null,
  name_folded text collate "C" not null,
  shortcut text,
  description text,
  phone text,
  email text,
  company_name text,
  company_tax_no text,
  company_street text,
  company_street_number text,
  company_post_code text,
  company_city text,
  company_country text,
  company_email text,
  company_phone text,
  company_website text,
  company_bank text,
  company_bank_account text,
  company_logo text,
  logo_file text references logos,
  lock_version integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index departments_name_key on departments (account_id, name_folded);
create index departments_account on departments (account_id, id);
create index departments_created on departments (account_id, created_at, id);

alter table accounts add constraint accounts_main_department_id_fkey
  foreign key (main_department_id) references departments on delete set null;
create index accounts_main_department on accounts (main_department_id);

create table department_users (
  department_id integer not null references departments on delete cascade,
  user_id integer not null references users on delete cascade,
  primary key (department_id, user_id)
);
create index department_users_user on department_users (user_id, department_id);

create table department_mailboxes (
  department_id integer not null references departments on delete cascade,
  mailbox_id integer not null references mailboxes on delete cascade,
  primary key (department_id, mailbox_id)
);
create index department_mailboxes_mailbox on department_mailboxes (mailbox_id);
