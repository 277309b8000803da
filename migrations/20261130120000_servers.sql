-- +goose Up
-- Several servers share the shards. A server's lease holds for all its shards:
-- to renew it touches one small row and never those that turns read.
create table servers (
    id          text primary key,
    able        boolean not null, -- it reaches what shards need; the others are given none
    lease_until timestamptz not null
) with (fillfactor = 10);

-- How many shards there are. It changes only while no server lives; no row: 1.
create table shard_count (
    one    boolean primary key default true check (one),
    shards integer not null check (shards > 0)
);

-- A shard is free when its owner has no lease.
alter table shards drop column lease_until;

-- Runs that others called: who takes a shard over asks whether they are wanted still.
create index runs_called on runs (id) where source = 'call' and ended_at is null;

-- What lets a page that is logged in open one websocket, on any server. It
-- lives for seconds: nothing is lost when a crash empties the table.
create unlogged table tickets (
    hash    text primary key,
    data    bytea not null,
    expires timestamptz not null
);

-- +goose Down
drop table tickets, shard_count, servers;
drop index runs_called;
alter table shards add column lease_until timestamptz not null default 'epoch';
