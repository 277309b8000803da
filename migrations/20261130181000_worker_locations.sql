-- +goose Up
-- Where workers of one's own are, and whether they do the program's own steps
-- there.
alter table workers
    add column location text not null default '',
    add column steps boolean not null default false;

-- +goose Down
alter table workers drop column location, drop column steps;
