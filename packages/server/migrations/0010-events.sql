-- Which events a listener has handled, written in the transaction of what it did: a repeat finds
-- its row. Kept for as long as the stream keeps events.
create table handled_events (
  app_id text collate "C" not null,
  listener text collate "C" not null,
  event_id text collate "C" not null,
  handled_at bigint not null,
  primary key (app_id, listener, event_id)
);
create index handled_events_by_time on handled_events (handled_at);

-- Rows here live for a second. Vacuumed by their number, because the tables are empty between.
alter table append_receipts set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
alter table outbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
