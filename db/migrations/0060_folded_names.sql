-- Names as they are compared and searched: folded by the server, the same in every locale of PostgreSQL.
alter table crons add column name_folded text collate "C" not null default '';
alter table tokens add column name_folded text collate "C" not null default '';
alter table invitations add column name_folded text collate "C" not null default '';
update crons set name_folded = replace(lower(normalize(name, NFC)), 'ς', 'σ') where name is not null;
update tokens set name_folded = replace(lower(normalize(name, NFC)), 'ς', 'σ');
update invitations set name_folded = replace(lower(normalize(name, NFC)), 'ς', 'σ');
