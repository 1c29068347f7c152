-- What happened in an app, in points of five minutes, hours and days. A point is spread over parts,
-- so that partitions of events which are counted at once do not wait for each other.
create table stats_points (
  app_id text collate "C" not null,
  -- Its length in seconds: 300, 3600 or 86400.
  grain bigint not null,
  starts_at bigint not null,
  part smallint not null,
  messages bigint not null default 0,
  deliveries bigint not null default 0,
  reads bigint not null default 0,
  primary key (app_id, grain, starts_at, part)
);
create index stats_points_by_age on stats_points (grain, starts_at);

-- How far each log is counted, written in the transaction of the points: an event that comes again
-- finds nothing left to count. `sent` is the log of the conversation, the others those of a reader.
create table stats_offsets (
  bucket smallint not null,
  conversation_key bigint not null,
  uid text collate "C" not null,
  kind text collate "C" not null check (kind in ('sent', 'delivered', 'read')),
  app_id text collate "C" not null,
  seq bigint not null,
  primary key (bucket, conversation_key, uid, kind)
);

-- Who was there on a day; users by a hash, which is all that counting needs.
create table stats_active_users (
  app_id text collate "C" not null,
  day bigint not null,
  user_hash bigint not null,
  primary key (app_id, day, user_hash)
);
create index stats_active_users_by_age on stats_active_users (day);

-- The most users that were online at once within five minutes.
create table stats_peaks (
  app_id text collate "C" not null,
  starts_at bigint not null,
  online bigint not null,
  primary key (app_id, starts_at)
);
create index stats_peaks_by_age on stats_peaks (starts_at);
