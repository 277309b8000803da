-- +goose Up
-- Steps that failed for good and that nothing caught, so that their run
-- failed. Each is named by the event of its failure, and written by the turn
-- that the event is in (engine/pg/turn.go).
create table dead_letters (
    run_id       uuid not null,
    seq          integer not null, -- of the event NodeFailed
    at           timestamptz not null,
    workspace_id text not null,
    workflow_id  uuid not null,
    version_id   uuid not null,
    node         text not null,
    scope        integer not null,
    visit        integer not null,
    class        text not null,
    message      text not null,
    attempts     integer not null,
    state        text not null default 'open', -- open, retried, discarded
    acted_at     timestamptz,                  -- when it was retried or discarded
    acted_by     text not null default '',
    new_run      uuid,                         -- that a retry started
    primary key (run_id, seq)
);
create index dead_letters_state on dead_letters (workspace_id, state, at, run_id, seq);
create index dead_letters_workflow on dead_letters (workspace_id, workflow_id, state, at, run_id, seq);

-- +goose Down
drop table dead_letters;
