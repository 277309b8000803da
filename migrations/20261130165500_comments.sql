-- +goose Up
-- What people say about a drawing. A thread keeps the title of its node, which
-- may be deleted before it.
create table comment_threads (
    workspace_id  text not null,
    id            uuid primary key,
    workflow_id   uuid not null,
    node          text not null, -- its id; empty: about the drawing as a whole
    title         text not null,
    created_at    timestamptz not null,
    last_at       timestamptz not null, -- of the newest comment
    last_n        integer not null,     -- number of the newest comment
    resolved_at   timestamptz,
    resolved_by   uuid,
    resolved_name text not null default '',
    foreign key (workspace_id, workflow_id) references workflows on delete cascade
);
create index comment_threads_workflow on comment_threads (workspace_id, workflow_id, last_at desc, id desc);

-- One that was taken back has no text; it stays while its thread has others.
create table comments (
    thread_id  uuid not null references comment_threads on delete cascade,
    n          integer not null check (n > 0),
    id         uuid not null unique,
    by_id      uuid not null,
    by_name    text not null,
    text       text not null,
    mentions   jsonb not null, -- people, with their names as the text has them
    created_at timestamptz not null,
    edited_at  timestamptz,
    deleted_at timestamptz,
    primary key (thread_id, n)
);

-- Up to which number a person has seen a thread.
create table comment_reads (
    thread_id uuid not null references comment_threads on delete cascade,
    user_id   uuid not null references users on delete cascade,
    n         integer not null,
    primary key (thread_id, user_id)
);

-- What people are told.
create table nudges (
    id           uuid primary key,
    workspace_id text not null,
    user_id      uuid not null,
    kind         text not null,
    by_name      text not null,
    at           timestamptz not null,
    read_at      timestamptz,
    workflow_id  uuid not null references workflows (id) on delete cascade,
    thread_id    uuid,
    comment_n    integer,
    foreign key (workspace_id, user_id) references members on delete cascade,
    foreign key (thread_id, comment_n) references comments on delete cascade
);
create index nudges_user on nudges (workspace_id, user_id, at desc, id);
create index nudges_comment on nudges (thread_id, comment_n) where thread_id is not null;

-- +goose Down
drop table nudges, comment_reads, comments, comment_threads;
