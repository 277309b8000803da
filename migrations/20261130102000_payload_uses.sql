-- +goose Up
-- Which run names which large value: a value goes with the last run that names
-- it.
create table payload_uses (
    digest text not null,
    run_id uuid not null,
    primary key (digest, run_id)
);
create index payload_uses_run on payload_uses (run_id);

insert into payload_uses (digest, run_id)
select m.digest[1], e.run_id
from workflow_events e,
    regexp_matches(e.data::text, '"\$payload":\{"digest":"([0-9a-f]{64})"', 'g') m(digest)
where position('"$payload":{"digest":"' in e.data::text) > 0
on conflict do nothing;

-- When somebody stored the value last: it may not be named yet.
alter table payloads add column stored_at timestamptz not null default now();
create index payloads_digest on payloads (digest);

create index trigger_ledger_run on trigger_ledger (run_id);

-- +goose Down
drop index trigger_ledger_run;
drop index payloads_digest;
alter table payloads drop column stored_at;
drop table payload_uses;
