-- +goose Up
-- The log lies in weeks. Ids of runs are in the order of time, so a run lies in
-- one week, and a week whose runs may all go is dropped as a whole, which takes
-- milliseconds. What is there by now stays where it is: it becomes the first
-- part. engine/pg/weeks.go makes the weeks to come.
alter table workflow_events rename to workflow_events_first;
alter index workflow_events_pkey rename to workflow_events_first_pkey;

create table workflow_events (
    run_id uuid not null,
    seq    integer not null,
    at     timestamptz not null,
    node   text not null,
    type   text not null,
    data   json not null,
    hash   bytea not null,
    primary key (run_id, seq)
) partition by range (run_id);

-- +goose StatementBegin
do $$
declare
    monday timestamptz := date_trunc('week', now(), 'UTC') + interval '336 hours';
    millis text := lpad(to_hex((extract(epoch from monday) * 1000)::bigint), 12, '0');
    edge   uuid := (substr(millis, 1, 8) || '-' || substr(millis, 9, 4) || '-0000-0000-000000000000')::uuid;
begin
    if exists (select from workflow_events_first where run_id >= edge) then -- ids that are not in the order of time
        alter table workflow_events attach partition workflow_events_first default;
    else
        execute format('alter table workflow_events attach partition workflow_events_first for values from (minvalue) to (%L)', edge);
        create table workflow_events_rest partition of workflow_events default;
    end if;
end $$;
-- +goose StatementEnd

-- Weeks that are about to be dropped: their events may have no run any more.
create table retired_weeks (
    name text primary key,
    low  uuid not null,
    high uuid not null
);

-- +goose Down
alter table workflow_events rename to workflow_events_parts;
alter index workflow_events_pkey rename to workflow_events_parts_pkey;
create table workflow_events (
    run_id uuid not null,
    seq    integer not null,
    at     timestamptz not null,
    node   text not null,
    type   text not null,
    data   json not null,
    hash   bytea not null,
    primary key (run_id, seq)
);
insert into workflow_events select * from workflow_events_parts;
drop table workflow_events_parts, retired_weeks;
