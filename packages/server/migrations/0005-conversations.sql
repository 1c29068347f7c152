-- The log. A conversation is a dense, ordered list of entries: seq 1, 2, 3, ...
-- Rows of a conversation carry its bucket (0 to 63). Tables that grow with every message are partitioned
-- by it, and every frequent statement touches one partition. Conversations and participants are one table
-- each: an update of a partitioned table opens all partitions at every execution. `app_id` stands beside
-- a key that belongs to one app for ever.

create sequence conversation_keys;
-- The public id of an entry is n * 64 + bucket. No cache: ids must grow within a conversation,
-- whichever connection draws them.
create sequence entry_numbers;

create table conversations (
  bucket smallint not null,
  conversation_key bigint not null,
  app_id text collate "C" not null,
  -- The seq of the last entry, how many entries count as unread, the last change to an entry.
  head bigint not null default 0,
  counted bigint not null default 0,
  change bigint not null default 0,
  -- Time never runs backwards in a conversation: an entry is at least as late as the one before it.
  -- So both `id` and `sent_at` grow with seq, and a seq is found by bisection.
  last_at bigint not null default 0,
  participants_count bigint not null default 0,
  -- The entry that lists show as the last message.
  shown_seq bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (conversation_key)
)
-- Half of a page stays free for the next version of a row: an update then writes no index.
with (fillfactor = 50);

-- Which conversation two users have. The label `a_user_b` is never a key: `a` + `b_user_c` and
-- `a_user_b` + `c` share it.
create table user_conversations (
  app_id text collate "C" not null references apps on delete cascade,
  low_uid text collate "C" not null,
  high_uid text collate "C" not null,
  bucket smallint not null,
  conversation_key bigint not null,
  primary key (app_id, low_uid, high_uid),
  check (low_uid < high_uid)
);
create index user_conversations_by_high on user_conversations (app_id, high_uid);

-- One row per user and conversation: what is theirs alone.
create table participants (
  bucket smallint not null,
  conversation_key bigint not null,
  uid text collate "C" not null,
  app_id text collate "C" not null,
  -- The other user, or the group: what the conversation is with.
  with_uid text collate "C",
  with_guid text collate "C",
  -- Entries of their own that count as unread for others.
  own bigint not null default 0,
  -- Cursors: everything up to here was delivered, read; and what `counted` and `own` were there.
  delivered_seq bigint not null default 0,
  read_seq bigint not null default 0,
  read_counted bigint not null default 0,
  read_own bigint not null default 0,
  -- History up to here is hidden from them.
  reset_seq bigint not null default 0,
  tags text[],
  primary key (conversation_key, uid)
)
with (fillfactor = 60);

-- When cursors moved: who read an entry, and when, is the first move at or behind it.
create table position_moves (
  bucket smallint not null,
  conversation_key bigint not null,
  uid text collate "C" not null,
  kind text collate "C" not null check (kind in ('delivered', 'read')),
  seq bigint not null,
  at bigint not null,
  app_id text collate "C" not null,
  primary key (bucket, conversation_key, uid, kind, seq)
) partition by list (bucket);

-- Short columns stand together, because a bigint begins at a multiple of eight bytes.
create table entries (
  bucket smallint not null,
  -- It raises unread counts.
  counts boolean not null,
  -- Deleted for ever: emptied, but its row stays, because the log has no holes.
  erased boolean not null default false,
  conversation_key bigint not null,
  seq bigint not null,
  id bigint not null,
  sent_at bigint not null,
  -- What the conversation's `counted` was with this entry.
  counted bigint not null,
  -- The conversation's `change` when this entry last changed. Most never do: null takes no room.
  change bigint,
  updated_at bigint,
  edited_at bigint,
  deleted_at bigint,
  parent_seq bigint,
  app_id text collate "C" not null,
  sender text collate "C" not null,
  category text collate "C" not null,
  type text not null,
  muid text collate "C",
  -- The text as it was sent: lists pass it on, and few statements look inside.
  data json not null,
  -- What is stored beside the data, where there is any: tags, mentions, who edited or deleted it.
  extra jsonb,
  -- What rules or moderators decided about a message; null for nearly all. Where it holds the key
  -- `sealed`, the message is hidden: for everyone the row is that of one deleted for ever, and what
  -- was said is in there, for its sender and for moderators. `withheld`: hidden from its first moment.
  verdict jsonb,
  primary key (bucket, conversation_key, seq)
) partition by list (bucket);

-- 16 partitions of 4 buckets each.
do $$
declare
  parent text;
begin
  foreach parent in array array['position_moves', 'entries'] loop
    for i in 0..15 loop
      execute format('create table %s_%s partition of %s for values in (%s, %s, %s, %s)',
                     parent, i, parent, i, i + 16, i + 32, i + 48);
    end loop;
  end loop;
end
$$;

create index participants_by_user on participants (app_id, uid) include (bucket, conversation_key);
-- Finds an entry, and lists what an app said, newest first.
create unique index entries_by_id on entries (app_id, id, bucket);
-- A repeat is recognised by a digest: a fifth of the room that sender and muid take. A uid has no
-- blank, so both can be told apart in it.
create unique index entries_by_muid
  on entries (bucket, conversation_key, (md5(sender || ' ' || muid)::uuid)) where muid is not null;
create index entries_by_change on entries (bucket, conversation_key, change) where change > 0;
-- Counted once and deleted since: subtracted from unread counts.
create index entries_withdrawn on entries (bucket, conversation_key, seq)
  where counts and deleted_at is not null;
-- Replies of one parent, in order.
create index entries_by_parent on entries (bucket, conversation_key, parent_seq, seq)
  where parent_seq is not null;
