-- +goose Up
-- Runs and the log of each. One statement writes a turn of all of these
-- (engine/pg/turn.go).

create table shards (
    shard       integer primary key,
    owner       text not null,
    epoch       bigint not null, -- rises with every change of owner; a turn names it
    lease_until timestamptz not null
) with (fillfactor = 10);

-- A row is written when its run is born, and then only when something in it
-- other than seq changes.
create table runs (
    id           uuid primary key, -- version 7: in order of time
    shard        integer not null,
    workspace_id text not null,
    workflow_id  uuid not null,
    version_id   uuid not null,
    trigger      text not null,
    source       text not null,
    test         boolean not null,
    attributes   json not null,
    status       text not null,
    seq          integer not null, -- events when the row was last written; the log says how many there are
    owed         boolean not null, -- an effect is unconfirmed: loaded at every start
    wake_at      timestamptz,
    error        text not null,
    created_at   timestamptz not null,
    ended_at     timestamptz
) with (fillfactor = 80);
create index runs_owed on runs (shard, id) where owed;
create index runs_due on runs (shard, wake_at) where wake_at is not null;
create index runs_recent on runs (workspace_id, id desc);
create index runs_workflow on runs (workspace_id, workflow_id, id desc);
create index runs_status on runs (workspace_id, status, id desc);

-- data is json, not jsonb: its bytes come back as they were written, which the
-- chain of hashes needs.
create table workflow_events (
    run_id uuid not null,
    seq    integer not null,
    at     timestamptz not null,
    node   text not null,
    type   text not null,
    data   json not null,
    hash   bytea not null,
    primary key (run_id, seq)
);

create table snapshots (
    run_id uuid primary key,
    seq    integer not null,
    data   bytea not null
);

-- Values above 8 KB, by the SHA-256 of their bytes, in pieces of 256 KB.
create table payloads (
    workspace_id text not null,
    digest       text not null,
    chunk        integer not null,
    bytes        bytea not null,
    primary key (workspace_id, digest, chunk)
);

-- One trigger event, one run.
create table trigger_ledger (
    workspace_id text not null,
    trigger      text not null,
    key          text not null,
    run_id       uuid not null,
    at           timestamptz not null default now(),
    primary key (workspace_id, trigger, key)
);

-- +goose Down
drop table trigger_ledger, payloads, snapshots, workflow_events, runs, shards;
