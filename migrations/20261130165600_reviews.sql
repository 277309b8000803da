-- +goose Up
-- Somebody else looks at a draft before it is published. An approval holds for
-- one position of the draft.
alter table workspaces add column review_required boolean not null default false;

create table reviews (
    workspace_id text not null,
    id           uuid primary key,
    workflow_id  uuid not null,
    seq          bigint not null, -- position of the draft when it was asked for
    note         text not null,
    by_id        uuid not null,
    by_name      text not null,
    at           timestamptz not null,
    reviewers    jsonb not null,  -- people
    state        text not null check (state in ('open', 'approved', 'changes', 'withdrawn', 'replaced', 'published')),
    decided_id   uuid,
    decided_name text,
    decided_at   timestamptz,
    decided_note text,
    decided_seq  bigint,          -- position of the draft that was looked at
    foreign key (workspace_id, workflow_id) references workflows on delete cascade
);
-- A workflow has one review that goes on.
create unique index reviews_live on reviews (workspace_id, workflow_id) where state in ('open', 'approved', 'changes');

-- How a version came to be: with an approval, or by an owner without one
-- although the workspace asks for it.
alter table versions
    add column review_id  uuid references reviews,
    add column overridden boolean not null default false;

alter table nudges add column review_id uuid references reviews on delete cascade;

-- +goose Down
alter table nudges drop column review_id;
alter table versions drop column review_id, drop column overridden;
drop table reviews;
alter table workspaces drop column review_required;
