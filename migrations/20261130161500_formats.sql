-- +goose Up
-- Which numbers a run has (engine/machine/format.go): a program that does not
-- know those of a run that goes on refuses to start. The index is empty while
-- all runs have the first ones.
alter table runs add column format integer not null default 1; -- the latest that wrote its row
alter table runs add column semantics integer not null default 1; -- of its machine
create index runs_newer on runs (semantics, format) where ended_at is null and (semantics > 1 or format > 1);
alter table snapshots add column format integer not null default 1;

-- +goose Down
alter table snapshots drop column format;
drop index runs_newer;
alter table runs drop column semantics, drop column format;
