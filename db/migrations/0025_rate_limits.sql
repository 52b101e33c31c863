-- An account's own limits of requests, writes, compilations and actions a minute; those left out are the defaults.
alter table accounts add column rate_limits jsonb not null default '{}';

create trigger accounts_limits_changed after update of rate_limits on accounts
  for each row execute function tell_account_changed();
