-- The key of all lookup hashes, sealed with the master key: it stays when the master key is changed,
-- and a process whose master key does not open it refuses to start. One row.
create table vault_keys (
  key_number smallint primary key default 1 check (key_number = 1),
  lookup_key_encrypted bytea not null
);
