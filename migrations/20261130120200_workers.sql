-- +goose Up
-- Workers of one's own: what they said that they do, and when they were heard
-- of last.
create table worker_types (
    workspace_id text not null references workspaces,
    name         text not null,
    title        text not null,
    description  text not null,
    icon         text not null,
    input        json not null, -- JSON Schema; {}: anything
    output       json not null,
    announced_at timestamptz not null,
    announced_by text not null, -- worker
    primary key (workspace_id, name)
);

create table workers (
    workspace_id text not null references workspaces,
    name         text not null,
    types        text[] not null,
    token_id     text not null,
    seen_at      timestamptz not null,
    left_work    boolean not null, -- it said goodbye
    primary key (workspace_id, name)
) with (fillfactor = 50);

-- +goose Down
drop table workers, worker_types;
