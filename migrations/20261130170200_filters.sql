-- +goose Up
-- Filters of the list of runs that people keep under a name: for themselves, or
-- for the workspace.
create table run_filters (
    id           uuid primary key,
    workspace_id text not null references workspaces,
    workflow_id  uuid, -- of the runs of this workflow only
    name         text not null,
    query        text not null, -- as it stands in the address
    shared       boolean not null,
    user_id      uuid not null references users on delete cascade,
    created_at   timestamptz not null
);
create index run_filters_workspace on run_filters (workspace_id, created_at, id);

-- The one that a person's list begins with.
create table run_filter_defaults (
    user_id   uuid not null references users on delete cascade,
    filter_id uuid not null references run_filters on delete cascade,
    workspace_id text not null,
    primary key (user_id, workspace_id)
);

-- +goose Down
drop table run_filter_defaults, run_filters;
