-- null: the app's
alter table app_drafts add column app_engine text;
