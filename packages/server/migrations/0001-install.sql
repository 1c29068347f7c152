-- What belongs to the installation and to no app.
-- Times are unix seconds unless a name says otherwise, as the interface speaks them.

-- Which installation this is, also after a restore: others may use the same NATS.
create table install (
  only_one boolean primary key default true check (only_one),
  install_id uuid not null default gen_random_uuid()
);
insert into install default values;

-- After an older state was restored, sequences would hand out again what has been used since. So a
-- restore begins an epoch: every sequence goes on at a multiple of 2^36, and its factor is the epoch.
-- This one grows all the time, and NATS is told. If NATS knows a higher number, this is a restored
-- state.
create sequence restore_marks;
-- A sequence that was never used says the same as one that was used once.
select nextval('restore_marks');

-- The key of all lookup hashes, sealed with the master key: it stays when the master key is changed,
-- and a process whose master key does not open it refuses to start. One row.
create table vault_keys (
  key_number smallint primary key default 1 check (key_number = 1),
  lookup_key_encrypted bytea not null
);

-- A key may be for some apps only, may expire, and is revoked instead of deleted, so that the audit
-- log still says whose it was.
create table management_keys (
  key text collate "C" primary key,
  secret_hash bytea not null,
  name text not null,
  -- Null: every app, those to come included.
  app_ids text[] collate "C",
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  -- To the minute: a call does not wait for a write each time.
  last_used_at bigint
);
