-- +goose Up
-- Past runs that are kept as cases: a draft is rehearsed on them before it is
-- published. A run that is a case is not forgotten.
create table cases (
    workspace_id text not null references workspaces,
    id           uuid primary key,
    workflow_id  uuid not null,
    run_id       uuid not null references runs,
    name         text not null,
    created_by   text not null,
    created_at   timestamptz not null,
    accepted     text not null default '', -- digest of what an owner accepted that it came to
    accepted_by  text not null default '',
    accepted_why text not null default '',
    accepted_at  timestamptz
);
create unique index cases_run on cases (run_id);
create index cases_workflow on cases (workspace_id, workflow_id, id);

-- Published only when its cases do the same.
alter table workflows add column guarded boolean not null default false;

-- +goose Down
alter table workflows drop column guarded;
drop table cases;
