-- +goose Up
-- Which language model a workspace chose for describing changes in words. The
-- credential is a name.
create table assistants (
    workspace_id text primary key references workspaces,
    provider     text not null,
    base_url     text not null,
    model        text not null,
    credential   text not null,
    answer       json,
    updated_at   timestamptz not null
);

-- +goose Down
drop table assistants;
