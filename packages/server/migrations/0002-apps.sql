-- Apps are the tenants: every table of theirs carries `app_id`, and so does every foreign key.

-- Of rows that processes remember: docs/versions.md.
create sequence row_versions;

create table apps (
  app_id text collate "C" primary key,
  name text not null,
  region text not null,
  created_at bigint not null,
  -- Set when the app was scheduled for deletion: from then on it answers nothing.
  archived_at bigint,
  delete_at bigint,
  -- Grows with every change of rules and keyword lists. Every call reads it with its app, so that
  -- each process knows at once whether what it compiled is still right.
  moderation_version bigint not null default 0,
  row_version bigint not null default nextval('row_versions')
);

create table app_settings (
  app_id text collate "C" not null references apps on delete cascade,
  key text collate "C" not null,
  value jsonb not null,
  primary key (app_id, key)
);

-- Looked up by keyed hash; the key itself is only there encrypted.
create table api_keys (
  app_id text collate "C" not null references apps on delete cascade,
  key_hash bytea not null,
  key_encrypted bytea not null,
  name text not null,
  scope text not null check (scope in ('fullAccess', 'authOnly')),
  created_by text not null,
  created_at bigint not null,
  primary key (app_id, key_hash)
);

-- Archived apps whose time is up, and how far their erasure has come. A queue (docs/jobs.md); few rows,
-- found without indexes.
create table app_erasures (
  app_id text collate "C" primary key references apps on delete cascade,
  at_table text not null default '',
  at_block bigint not null default 0,
  rows_erased bigint not null default 0,
  due_at bigint not null,
  leased_until bigint,
  attempt bigint not null default 0
);

-- Every administrative change. `app_id` stays after the app is gone, so no foreign key.
create table audit_log (
  app_id text collate "C" not null,
  entry_id bigint generated always as identity,
  at bigint not null,
  caller text not null,
  -- From where, with which key, as whom.
  address text,
  key_id text,
  uid text,
  operation text not null,
  target jsonb not null,
  request_id text not null,
  primary key (app_id, entry_id)
);
-- For reading it newest first over all apps, and for clearing the oldest.
create index audit_log_by_entry on audit_log (entry_id);
