-- +goose Up
-- Pieces of large values that are sealed by the key of the vault.
alter table payloads add column sealed boolean not null default false;

-- +goose Down
alter table payloads drop column sealed;
