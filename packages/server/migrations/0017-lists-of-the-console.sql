-- outside a transaction
-- squawk-ignore-file ban-concurrent-index-creation-in-transaction
-- Moderators claim the oldest that are open, of either kind, and give back what they hold.
create index concurrently if not exists moderation_cases_oldest
  on moderation_cases (app_id, message_id) where status = 'open';
create index concurrently if not exists moderation_cases_held
  on moderation_cases (app_id, claimed_by) where status = 'open' and claimed_by is not null;
-- One operation among many, newest first.
create index concurrently if not exists audit_log_by_operation on audit_log (operation, entry_id);
