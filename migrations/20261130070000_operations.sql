-- +goose Up
-- Where tasks go, who did what, and how runs descend from each other.

-- The rules of a workspace in order: the first that matches a task decides its
-- queue. Null matches everything.
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

-- Append-only. hash covers the entry and the hash of the one before it in its
-- workspace, so that a changed or missing entry shows.
create table audit (
    workspace_id text not null references workspaces,
    seq          bigint not null check (seq > 0), -- dense
    at           timestamptz not null,
    by_id        uuid, -- null: the program itself
    by_name      text not null,
    action       text not null,
    target       text not null,
    from_ip      inet,
    detail       json not null,
    hash         bytea not null,
    primary key (workspace_id, seq)
);

alter table runs add column parent_id uuid; -- the run that called this one
alter table runs add column forked_from uuid; -- the run whose beginning this one repeats
create index runs_parent on runs (parent_id) where parent_id is not null;

-- +goose Down
drop index runs_parent;
alter table runs drop column forked_from, drop column parent_id;
drop table audit, queues, routes;
