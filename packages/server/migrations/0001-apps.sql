-- Apps (tenants), their keys and settings, the audit log and the outbox.
-- Times are unix seconds, as the interface speaks them.

create table apps (
  app_id text collate "C" primary key,
  name text not null,
  region text not null,
  created_at bigint not null,
  -- Set when the app was scheduled for deletion: from then on it answers nothing.
  archived_at bigint,
  delete_at bigint
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

create table management_keys (
  key text collate "C" primary key,
  secret_hash bytea not null,
  name text not null,
  created_at bigint not null
);

-- Every administrative change. `app_id` stays after the app is gone, so no foreign key.
create table audit_log (
  app_id text collate "C" not null,
  entry_id bigint generated always as identity,
  at bigint not null,
  caller text not null,
  operation text not null,
  target jsonb not null,
  request_id text not null,
  primary key (app_id, entry_id)
);

-- A change leaves its event here in the same transaction; publishing clears it.
create table outbox (
  event_id uuid primary key,
  app_id text collate "C" not null,
  name text not null,
  payload jsonb not null,
  created_at bigint not null
);
