-- A management key may be for some apps only, may expire, and is revoked instead of deleted, so that
-- the audit log still says whose it was.
alter table management_keys
  -- Null: every app, those to come included.
  add column app_ids text[] collate "C",
  add column expires_at bigint,
  add column revoked_at bigint,
  -- To the minute: a call does not wait for a write each time.
  add column last_used_at bigint;
