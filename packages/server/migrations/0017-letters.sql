-- E-mail and SMS: one delivery speaks of all messages of a conversation that came while it waited.

alter table notification_deliveries add column conversation_key bigint;
-- The first and the last message that it speaks of, by their place in the conversation.
alter table notification_deliveries add column from_seq bigint;
alter table notification_deliveries add column to_seq bigint;

-- No row is of these indexes yet: each takes one look at two weeks of deliveries.

-- Until it is taken for the first time, a letter takes in what comes: there is one such letter.
-- squawk-ignore require-concurrent-index-creation
create unique index notification_deliveries_open_letters
  on notification_deliveries (app_id, uid, channel, conversation_key)
  where status = 'waiting' and attempt = 0 and channel <> 'push';
-- squawk-ignore require-concurrent-index-creation
create index notification_deliveries_letters
  on notification_deliveries (app_id, uid, channel, conversation_key, to_seq) where channel <> 'push';
-- squawk-ignore require-concurrent-index-creation
create index notification_deliveries_letters_due
  on notification_deliveries (next_at_ms) where status = 'waiting' and channel <> 'push';
-- So many a day.
-- squawk-ignore require-concurrent-index-creation
create index notification_deliveries_letters_sent
  on notification_deliveries (app_id, uid, channel, ended_at_ms)
  where status = 'sent' and channel <> 'push';
