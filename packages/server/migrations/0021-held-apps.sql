-- Set while the app takes no writes here: it moves to another install, or has moved.
alter table apps add column held_at bigint;
