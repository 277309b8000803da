-- +goose Up
-- What learned rules of route tables have measured of their queues: a few sums
-- for each rule and each combination of the values that it learns apart.
create table learned (
    workspace_id text not null references workspaces,
    rule         text not null,
    subject      text not null, -- values that are learned apart; empty: none
    figures      json not null,
    changed_at   timestamptz not null,
    primary key (workspace_id, rule, subject)
) with (fillfactor = 50);
create index learned_changed on learned (changed_at);

-- +goose Down
drop table learned;
