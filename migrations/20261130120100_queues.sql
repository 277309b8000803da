-- +goose Up
-- Queues and the routes that lead to them. What stood under these names before
-- was never read.
drop table queues, routes;

-- One table of rules for each workspace (workflow_id is nil) and each workflow
-- that has its own.
create table routes (
    workspace_id text not null references workspaces,
    workflow_id  uuid not null,
    revision     integer not null check (revision > 0),
    rules        json not null,
    updated_at   timestamptz not null,
    updated_by   text not null,
    primary key (workspace_id, workflow_id)
);

create table queues (
    workspace_id text not null references workspaces,
    name         text not null,
    revision     integer not null check (revision > 0),
    settings     json not null,
    updated_at   timestamptz not null,
    updated_by   text not null,
    primary key (workspace_id, name)
);

-- Rises with every change of the two: what each process looks at.
create table routing_changes (single boolean primary key default true check (single), n bigint not null);
insert into routing_changes (n) values (0);

-- What an attempt has while it is with workers, where that is limited: taken
-- before it goes out, given back by the turn that writes its end.
create table queue_slots (
    run_id   uuid not null,
    node     text not null,
    scope    integer not null,
    visit    integer not null,
    attempt  integer not null,
    limit_of text not null, -- queue/<workspace>/<name>, node/<workflow>/<node>/<key>
    shard    integer not null,
    taken_at timestamptz not null,
    primary key (run_id, node, scope, visit, attempt, limit_of)
);
create index queue_slots_limit on queue_slots (limit_of);
create index queue_slots_shard on queue_slots (shard);

-- When the last attempts under a limited rate went out, in microseconds.
create table queue_rates (
    limit_of text primary key,
    takes    bigint[] not null,
    at       timestamptz not null
) with (fillfactor = 20);

-- What each process sees of its queues, for the page.
create table queue_looks (
    owner text primary key,
    looks json not null,
    at    timestamptz not null
) with (fillfactor = 20);

-- +goose Down
drop table queue_looks, queue_rates, queue_slots, routing_changes, queues, routes;

create table routes (
    workspace_id text not null references workspaces,
    position     integer not null check (position > 0),
    name         text not null,
    queue        text not null,
    priority_max smallint check (priority_max between 0 and 3), -- this urgent or more; 0 is critical
    kind         text,
    type_prefix  text,
    workflow_id  uuid,
    primary key (workspace_id, position)
);

create table queues (
    workspace_id text not null references workspaces,
    name         text not null check (name ~ '^[a-z][a-z0-9_-]{0,39}$'), -- a token of NATS subjects
    concurrency  integer check (concurrency > 0), -- tasks at once; null: as many as there are workers
    local        boolean not null default false, -- tasks go straight to a free worker in this process
    is_default   boolean not null default false, -- takes what no rule matches
    primary key (workspace_id, name)
);
create unique index queues_default on queues (workspace_id) where is_default;
