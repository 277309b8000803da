-- +goose Up
-- What the boards show. Points, predictions and truths are written by the turn
-- that their events are in (engine/pg/turn.go), rollups beside it.

-- A number that a metric node wrote down, named by its event.
create table metric_points (
    run_id       uuid not null,
    seq          integer not null,
    at           timestamptz not null,
    workspace_id text not null,
    workflow_id  uuid not null,
    version_id   uuid not null,
    node         text not null,
    name         text not null,
    type         text not null, -- counter, gauge, histogram
    value        double precision not null,
    labels       text not null, -- an object, its names in order; empty: none
    primary key (run_id, seq)
);
create index metric_points_name on metric_points (workspace_id, name, at) include (workflow_id, value, labels);
create index metric_points_at on metric_points using brin (at);

create table predictions (
    run_id       uuid not null,
    seq          integer not null,
    at           timestamptz not null,
    workspace_id text not null,
    workflow_id  uuid not null,
    version_id   uuid not null,
    node         text not null,
    name         text not null,
    decision     text not null,
    value        text not null,
    primary key (run_id, seq)
);
create index predictions_name on predictions (workspace_id, name, at);
create index predictions_decision on predictions (workspace_id, name, decision);

-- What turned out to be true; the latest word counts. It may come before the
-- prediction.
create table truths (
    workspace_id text not null,
    name         text not null,
    decision     text not null,
    value        text not null,
    at           timestamptz not null,
    primary key (workspace_id, name, decision)
);
create index truths_at on truths using brin (at);

-- What one server process counted in one interval. A process writes its own
-- rows only, with all that it counted so far, so that writing twice changes
-- nothing; readers add processes up. Rows of no workflow are sums over the
-- workspace; rows of no workspace are about the infrastructure.
create table rollups (
    step         integer not null, -- seconds of the interval
    workspace_id text not null,
    workflow_id  uuid not null,
    at           timestamptz not null, -- its beginning
    measure      text not null,
    label        text not null,
    version_id   uuid not null,
    server       uuid not null,
    n            bigint not null,
    total        double precision not null,
    high         double precision not null,
    spread       bytea not null, -- a histogram (engine/rollup); empty: none
    primary key (step, workspace_id, workflow_id, at, measure, label, version_id, server)
);

-- +goose Down
drop table rollups, truths, predictions, metric_points;
