-- The app's lock_version while a version was live, so that a draft finds the source that it was begun from.
alter table app_versions add column lock_version int;
