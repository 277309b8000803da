-- +goose Up
-- What people do to many runs at once, as jobs that outlive the server that
-- began them (engine/bulk).
create table bulk_jobs (
    id           uuid primary key,
    workspace_id text not null references workspaces,
    act          text not null,
    word         text not null, -- the label, or how cases are called
    chosen       text not null, -- how the runs were chosen, for people
    by_id        uuid not null,
    by_name      text not null,
    at           timestamptz not null,
    state        text not null, -- working, done, stopped
    total        integer not null,
    done         integer not null default 0,
    skipped      integer not null default 0,
    ended_at     timestamptz,
    lease_until  timestamptz not null default '-infinity' -- until then one server works at it
) with (fillfactor = 50);
create index bulk_jobs_working on bulk_jobs (lease_until) where state = 'working';
create index bulk_jobs_workspace on bulk_jobs (workspace_id, id desc);

create table bulk_runs (
    job_id  uuid not null references bulk_jobs on delete cascade,
    run_id  uuid not null,
    state   text not null default 'left', -- left, done, skipped
    reason  text not null default '',
    new_run uuid,
    primary key (job_id, run_id)
);
create index bulk_runs_left on bulk_runs (job_id, run_id) where state = 'left';

-- Words that people put on runs to find them again.
alter table runs add column labels text[] not null default '{}';
create index runs_labels on runs using gin (labels) where labels <> '{}';

-- +goose Down
drop index runs_labels;
alter table runs drop column labels;
drop table bulk_runs, bulk_jobs;
