-- +goose Up
-- Folders of the gallery. A workflow stands in one or in none; a folder is no
-- part of the drawing.
create table folders (
    workspace_id text not null references workspaces,
    id           uuid primary key,
    name         text not null,
    created_at   timestamptz not null
);
create unique index folders_name on folders (workspace_id, lower(name));
alter table workflows add column folder_id uuid references folders;
create index workflows_folder on workflows (folder_id) where folder_id is not null;

-- +goose Down
alter table workflows drop column folder_id;
drop table folders;
