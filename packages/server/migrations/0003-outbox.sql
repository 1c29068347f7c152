-- Events: written with the change, published after the commit, handled once by each listener.

-- A change leaves its event here in the same transaction; publishing clears it. Rows live for a
-- second: vacuumed by their number, because the table is empty between.
create table outbox (
  event_id uuid primary key,
  app_id text collate "C" not null,
  name text not null,
  payload jsonb not null,
  created_at bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- The outbox marker of a batch of appends: which entries are to be published. Across apps, because
-- a batch is. As short-lived as the outbox.
create table append_receipts (
  receipt_id bigint generated always as identity primary key,
  at bigint not null,
  buckets smallint[] not null,
  conversation_keys bigint[] not null,
  first_seqs bigint[] not null,
  last_seqs bigint[] not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

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
