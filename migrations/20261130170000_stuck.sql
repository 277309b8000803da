-- +goose Up
-- Open runs that nothing seems to move, as a look every half minute finds them
-- (engine/pg/stuck.go). The index makes the look as dear as the number of open
-- runs, however many are over.
create index runs_open on runs (id) where ended_at is null;

create table stuck_runs (
    run_id       uuid primary key references runs on delete cascade,
    workspace_id text not null,
    workflow_id  uuid not null,
    reason       text not null, -- nothing, timer, silent, waits
    node         text not null,
    since        timestamptz not null,
    usual        interval not null -- how long it takes in 99 of 100 visits, or the setting; 0: it should not take at all
);
create index stuck_runs_workspace on stuck_runs (workspace_id, run_id desc);

-- One row: how far the look got, and when, so that one server at a time looks.
create table stuck_look (
    one  boolean primary key default true check (one),
    last uuid not null,
    at   timestamptz not null
);
insert into stuck_look (last, at) values ('00000000-0000-0000-0000-000000000000', '-infinity');

-- +goose Down
drop table stuck_look, stuck_runs;
drop index runs_open;
