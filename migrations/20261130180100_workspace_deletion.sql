-- +goose Up
-- A deleted workspace keeps its row for the sake of its audit log, which is
-- append-only. Nobody belongs to it.
alter table workspaces add column deleted_at timestamptz;

-- +goose Down
alter table workspaces drop column deleted_at;
