-- +goose Up
-- More than one person in a workspace, and a record of what they did.

alter table users
    add column language       text not null default '',
    add column tour_done      boolean not null default false,
    add column sessions_after timestamptz; -- older sessions count no more

-- An invitation works once. Its secret is kept as its SHA-256 only.
create table invitations (
    id           uuid primary key,
    workspace_id text not null references workspaces,
    role         text not null check (role in ('owner', 'admin', 'developer', 'editor', 'operator', 'viewer')),
    note         text not null, -- who it is for
    hash         bytea not null unique,
    created_by   uuid not null references users on delete cascade,
    created_at   timestamptz not null,
    expires_at   timestamptz not null
);
create index invitations_workspace on invitations (workspace_id, created_at desc);

-- Each entry holds a hash over itself and the entry before it, so that a
-- changed or missing one shows. Nothing here is ever changed or deleted.
create table audit_log (
    workspace_id text not null references workspaces,
    seq          bigint not null check (seq > 0),
    at           timestamptz not null,
    actor_id     uuid,
    actor        text not null,
    token_id     uuid,
    action       text not null,
    target       text not null,
    detail       text not null,
    address      text not null,
    hash         bytea not null,
    primary key (workspace_id, seq)
);
create index audit_log_action on audit_log (workspace_id, action, seq desc);
create index audit_log_actor on audit_log (workspace_id, actor_id, seq desc);

-- +goose StatementBegin
create function audit_log_keeps() returns trigger language plpgsql as $$
begin
    raise exception 'the audit log is append-only';
end $$;
-- +goose StatementEnd

create trigger audit_log_keeps before update or delete on audit_log
    for each row execute function audit_log_keeps();
create trigger audit_log_keeps_all before truncate on audit_log
    for each statement execute function audit_log_keeps();

-- +goose Down
drop table audit_log, invitations;
drop function audit_log_keeps;
alter table users drop column language, drop column tour_done, drop column sessions_after;
