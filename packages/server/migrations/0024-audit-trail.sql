-- From where, with which key, as whom. Rows of before have none of it.
alter table audit_log
  add column address text,
  add column key_id text,
  add column uid text;

-- For reading it newest first over all apps, and for clearing the oldest. What is written here are
-- changes by people: the table is small, and the lock short.
-- squawk-ignore require-concurrent-index-creation
create index audit_log_by_entry on audit_log (entry_id);
