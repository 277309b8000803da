-- +goose Up
-- Where a fork parts from the run that it began as, and the way back.

alter table runs add column forked_at integer; -- the last event of forked_from that is shared
create index runs_forks on runs (forked_from, id) where forked_from is not null;

-- +goose Down
drop index runs_forks;
alter table runs drop column forked_at;
