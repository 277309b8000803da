-- +goose Up
-- Words that group workflows in the gallery. They are no part of the drawing.
alter table workflows add column tags text[] not null default '{}';
