-- Entries of one microsecond keep the order in which they were written. The clock of the embedded database counts
-- milliseconds, and one transaction writes many entries in each.
create sequence audit_order as integer maxvalue 268435455 cycle;

create or replace function new_audit_id() returns uuid
language sql volatile parallel unsafe
return (
  select (
    lpad(to_hex(micros / 1000), 12, '0') || to_hex(28672 + micros % 1000 * 4)
    || '8' || lpad(to_hex(nextval('audit_order')), 7, '0')
    || right(replace(gen_random_uuid()::text, '-', ''), 8)
  )::uuid
  from (values ((date_part('epoch', clock_timestamp()) * 1000000)::bigint)) t (micros)
);
