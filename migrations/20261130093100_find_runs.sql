-- +goose Up
-- What the list of runs is searched by. Ids are in order of time, so that a
-- span of time is a span of ids.

-- Top-level attributes as "name=value". Text with escapes is left out: not
-- every one of them can be a text in this database.
-- +goose StatementBegin
create function attribute_words(attributes json) returns text[] language sql immutable strict parallel safe cost 500 as $$
    select case when json_typeof(attributes) <> 'object' or position('\u' in attributes::text) > 0 then '{}'
        else array(select key || '=' || value from json_each_text(attributes) where length(value) <= 200) end
$$;
-- +goose StatementEnd

create index runs_attributes on runs using gin (attribute_words(attributes)) where attributes::text <> '{}';
create index runs_error on runs using gin (to_tsvector('simple', error)) where error <> '';
create index runs_version on runs (version_id, id desc);
create index runs_source on runs (workspace_id, source, id desc);
create index runs_trigger on runs (workflow_id, trigger, id desc);
create index runs_trouble on runs (workflow_id, status, id desc) where status in ('failed', 'canceled', 'compensated', 'needs_attention', 'paused');

-- +goose Down
drop index runs_trouble, runs_trigger, runs_source, runs_version, runs_error, runs_attributes;
drop function attribute_words;
