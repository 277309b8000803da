-- +goose Up
-- Drawings that people keep under a name. They need not be sound and never run.
create table checkpoints (
    workspace_id text not null,
    id           uuid not null primary key,
    workflow_id  uuid not null,
    draft_seq    bigint not null,
    name         text not null,
    graph        json not null,
    created_by   uuid not null,
    created_at   timestamptz not null,
    foreign key (workspace_id, workflow_id) references workflows on delete cascade
);
create index checkpoints_of on checkpoints (workspace_id, workflow_id, created_at desc);

-- +goose Down
drop table checkpoints;
