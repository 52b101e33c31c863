-- The order of the apps in one module or page, and the size in CSS pixels at which other pages first show an app.
alter table apps
  add column position integer not null default 0,
  add column embed_width integer,
  add column embed_height integer;

create index apps_embedded on apps (account_id, show_in_module, position, name_folded, id)
  where show_in_module is not null;
drop index apps_module;
