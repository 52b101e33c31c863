-- Whether an invited person will see objects without a department.
alter table invitations add column without_department boolean not null default true;
