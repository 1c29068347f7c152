-- While one is there, nothing of the user or group that it names is erased.
create table legal_holds (
  app_id text collate "C" not null references apps on delete cascade,
  hold_id bigint generated always as identity,
  uid text collate "C",
  guid text collate "C",
  reason text not null,
  created_at bigint not null,
  primary key (app_id, hold_id),
  check (num_nonnulls(uid, guid) = 1)
);

-- Everything of a user is erased, as a job. The row stays: it says that it was done.
create table user_erasures (
  app_id text collate "C" not null references apps on delete cascade,
  erasure_id bigint generated always as identity,
  uid text collate "C" not null,
  -- Stands for the user where an entry of the log must have a sender.
  pseudonym text collate "C" not null,
  status text collate "C" not null check (status in ('running', 'held', 'done')),
  requested_at bigint not null,
  ended_at bigint,
  events_kept_until bigint,
  -- Messages up to this id are done with; then listeners hear the events up to this one; then tables
  -- are walked up to this place.
  reached_id bigint not null default 0,
  events_seq bigint,
  at_table text collate "C",
  at_block bigint not null default 0,
  scanned bigint not null default 0,
  messages bigint not null default 0,
  mentions bigint not null default 0,
  reactions bigint not null default 0,
  -- Rows by table.
  rows_erased jsonb not null default '{}',
  -- Messages that a hold kept in the walk that is under way.
  held bigint not null default 0,
  due_at bigint not null,
  leased_until bigint,
  attempt bigint not null default 0,
  primary key (app_id, erasure_id)
);
create unique index user_erasures_open on user_erasures (app_id, uid) where status <> 'done';
create index user_erasures_due on user_erasures (due_at) where status <> 'done';
create index user_erasures_turns on user_erasures (app_id, due_at) where status <> 'done';
create index user_erasures_leased on user_erasures (app_id, leased_until)
  where leased_until is not null;
