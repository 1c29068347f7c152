-- Null: it never expires.
alter table auth_tokens add column expires_at bigint;
