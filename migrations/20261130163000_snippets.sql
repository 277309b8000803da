-- +goose Up
-- Steps that a workspace keeps under a name, to put into any drawing. The
-- graph names credentials and holds no values of them.
create table snippets (
    workspace_id text not null references workspaces,
    id           uuid primary key,
    name         text not null,
    about        text not null,
    graph        json not null,
    created_by   uuid not null,
    created_at   timestamptz not null
);
create unique index snippets_name on snippets (workspace_id, lower(name));

-- +goose Down
drop table snippets;
