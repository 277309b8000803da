-- +goose Up
-- What a guest may do with a link, and what the owner of it decided about it.
alter table shares drop constraint shares_target_check;
alter table shares add constraint shares_target_check check (target in ('workflow', 'version', 'run'));
alter table shares alter column expires_at drop not null; -- null: never, for listed ones only
alter table shares
    add column scope      text not null default 'view' check (scope in ('view', 'run', 'copy')),
    add column version_id uuid,                            -- the version that it is pinned to; null: a draft
    add column parent_id  uuid references shares,          -- the link through which a guest started the run
    add column with_data  boolean not null default false,  -- input and result of the run show
    add column forks      boolean not null default false,  -- guests may try another way in a sandbox
    add column origins    text[] not null default '{}',    -- pages that may frame it
    add column slug       text,                            -- listed publicly under /p/
    add column viewed_at  timestamptz,
    add column file       json,                            -- scope copy: what a guest takes along
    add column form       json;                            -- scope run: what a guest fills in
create unique index shares_slug on shares (slug) where slug is not null and revoked_at is null;
create index shares_parent on shares (parent_id) where parent_id is not null;

-- +goose Down
drop index shares_slug, shares_parent;
delete from shares where target = 'version' or expires_at is null;
alter table shares
    drop column scope, drop column version_id, drop column parent_id, drop column with_data, drop column forks,
    drop column origins, drop column slug, drop column viewed_at, drop column file, drop column form;
alter table shares alter column expires_at set not null;
alter table shares drop constraint shares_target_check;
alter table shares add constraint shares_target_check check (target in ('workflow', 'run'));
