-- +goose Up
-- What an API token is limited to, beside its role; empty: nothing.
alter table api_tokens add column scopes text[] not null default '{}', add column workflows uuid[] not null default '{}';

-- +goose Down
alter table api_tokens drop column scopes, drop column workflows;
