-- +goose Up
-- People, and what they draw. Runs are in the next file.

create table workspaces (
    id         text primary key check (id ~ '^[a-z][a-z0-9_-]{0,39}$'), -- a token of NATS subjects
    name       text not null,
    created_at timestamptz not null default now()
);

insert into workspaces (id, name) values ('main', 'Main');

create table users (
    id            uuid primary key,
    email         text not null unique check (email = lower(email)),
    name          text not null,
    password_hash text not null,
    created_at    timestamptz not null
);

create table members (
    workspace_id text not null references workspaces,
    user_id      uuid not null references users on delete cascade,
    role         text not null check (role in ('owner', 'admin', 'developer', 'editor', 'operator', 'viewer')),
    created_at   timestamptz not null,
    primary key (workspace_id, user_id)
);
create index members_user on members (user_id);

-- Every secret below is kept as its SHA-256 only.
create table setup_links (
    hash       bytea primary key,
    expires_at timestamptz not null
);

create table sessions (
    hash       text primary key,
    data       bytea not null,
    expires_at timestamptz not null
);
create index sessions_expiry on sessions (expires_at);

create table api_tokens (
    id           uuid primary key,
    workspace_id text not null,
    user_id      uuid not null,
    name         text not null,
    role         text not null,
    hash         bytea not null unique,
    created_at   timestamptz not null,
    last_used_at timestamptz,
    expires_at   timestamptz,
    foreign key (workspace_id, user_id) references members on delete cascade
);

create table workflows (
    workspace_id      text not null references workspaces,
    id                uuid not null unique,
    name              text not null,
    description       text not null,
    active            boolean not null, -- its triggers start runs
    active_version_id uuid,
    hook_key          uuid not null default gen_random_uuid(), -- webhook paths are made from it
    created_at        timestamptz not null,
    updated_at        timestamptz not null,
    created_by        uuid not null,
    deleted_at        timestamptz,
    primary key (workspace_id, id)
);
create index workflows_recent on workflows (workspace_id, updated_at desc, id desc) where deleted_at is null;

-- graph has all batches up to graph_seq; draft_ops has those behind it, and
-- the history before. json, not jsonb: what we do not know is kept as it came.
create table drafts (
    workspace_id text not null,
    workflow_id  uuid not null,
    seq          bigint not null,
    graph_seq    bigint not null check (graph_seq <= seq),
    graph        json not null,
    primary key (workspace_id, workflow_id),
    foreign key (workspace_id, workflow_id) references workflows on delete cascade
);

create table draft_ops (
    workspace_id text not null,
    workflow_id  uuid not null,
    seq          bigint not null,
    batch        uuid not null,
    by_id        uuid not null,
    by_name      text not null,
    at           timestamptz not null,
    ops          json not null,
    primary key (workspace_id, workflow_id, seq),
    constraint draft_ops_batch_key unique (workspace_id, workflow_id, batch),
    foreign key (workspace_id, workflow_id) references workflows on delete cascade
);

-- A version is never changed. Without a number it was made for test runs of a
-- draft.
create table versions (
    workspace_id text not null,
    id           uuid not null primary key,
    workflow_id  uuid not null,
    number       integer check (number > 0),
    draft_seq    bigint not null,
    hash         text not null, -- of the machine, hex
    graph        json not null,
    machine      json not null,
    note         text not null,
    created_by   uuid not null,
    created_at   timestamptz not null,
    constraint versions_number_key unique (workspace_id, workflow_id, number),
    foreign key (workspace_id, workflow_id) references workflows on delete cascade
);
create unique index versions_test_key on versions (workspace_id, workflow_id, draft_seq) where number is null;

create table hooks (
    path         text primary key,
    workspace_id text not null,
    workflow_id  uuid not null,
    version_id   uuid not null references versions on delete cascade,
    node         text not null, -- key of the trigger
    config       json not null,
    foreign key (workspace_id, workflow_id) references workflows on delete cascade
);
create index hooks_workflow on hooks (workspace_id, workflow_id);

create table cameras (
    workspace_id text not null,
    workflow_id  uuid not null,
    user_id      uuid not null references users on delete cascade,
    x            double precision not null,
    y            double precision not null,
    z            double precision not null,
    primary key (workflow_id, user_id),
    foreign key (workspace_id, workflow_id) references workflows on delete cascade
);

-- data is sealed by a key of its own, which is wrapped by the key named in
-- key_id; that one is never in the database.
create table credentials (
    workspace_id text not null references workspaces,
    id           uuid not null,
    name         text not null,
    type         text not null,
    version      integer not null check (version > 0),
    key_id       text not null,
    wrapped      bytea not null,
    data         bytea not null,
    created_at   timestamptz not null,
    updated_at   timestamptz not null,
    primary key (workspace_id, id),
    unique (workspace_id, name)
);

create table shares (
    workspace_id text not null references workspaces,
    id           uuid primary key,
    target       text not null check (target in ('workflow', 'run')),
    target_id    uuid not null,
    title        text not null,
    hash         bytea not null unique,
    view         json not null, -- what guests see: built from an allow-list
    created_by   uuid not null,
    created_at   timestamptz not null,
    expires_at   timestamptz not null,
    revoked_at   timestamptz,
    views        integer not null
);
create index shares_open on shares (workspace_id, created_at desc) where revoked_at is null;

-- +goose Down
drop table shares, credentials, cameras, hooks, versions, draft_ops, drafts, workflows, api_tokens, sessions, setup_links, members, users, workspaces;
