-- Lists of access continue after an app's id.
create index apps_account on apps (account_id, id);
