-- The audit log names an object by its `id`. A link that replaces another one changes only its end, so that without an
-- id the entry did not say whose password the link is for.
alter table password_resets add column id integer generated always as (user_id) stored;
