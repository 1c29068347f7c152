-- The log. A conversation is a dense, ordered list of entries: seq 1, 2, 3, ...
-- Rows of a conversation carry its bucket (0 to 63) first in their keys and are partitioned by it, so every
-- hot statement touches one partition; `app_id` stands beside a key that belongs to one app for ever.

create sequence conversation_keys;
-- The public id of an entry is n * 64 + bucket. No cache: ids must grow within a conversation,
-- whichever connection draws them.
create sequence entry_numbers;

create table conversations (
  bucket smallint not null,
  conversation_key bigint not null,
  app_id text collate "C" not null,
  -- The seq of the last entry, how many entries counted, the last change to an entry.
  head bigint not null default 0,
  counted bigint not null default 0,
  change bigint not null default 0,
  participants_count bigint not null default 0,
  -- The entry that lists show as the last message.
  shown_seq bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (bucket, conversation_key)
) partition by list (bucket);
create table conversations_0 partition of conversations
  for values in (0, 16, 32, 48) with (fillfactor = 50);
create table conversations_1 partition of conversations
  for values in (1, 17, 33, 49) with (fillfactor = 50);
create table conversations_2 partition of conversations
  for values in (2, 18, 34, 50) with (fillfactor = 50);
create table conversations_3 partition of conversations
  for values in (3, 19, 35, 51) with (fillfactor = 50);
create table conversations_4 partition of conversations
  for values in (4, 20, 36, 52) with (fillfactor = 50);
create table conversations_5 partition of conversations
  for values in (5, 21, 37, 53) with (fillfactor = 50);
create table conversations_6 partition of conversations
  for values in (6, 22, 38, 54) with (fillfactor = 50);
create table conversations_7 partition of conversations
  for values in (7, 23, 39, 55) with (fillfactor = 50);
create table conversations_8 partition of conversations
  for values in (8, 24, 40, 56) with (fillfactor = 50);
create table conversations_9 partition of conversations
  for values in (9, 25, 41, 57) with (fillfactor = 50);
create table conversations_10 partition of conversations
  for values in (10, 26, 42, 58) with (fillfactor = 50);
create table conversations_11 partition of conversations
  for values in (11, 27, 43, 59) with (fillfactor = 50);
create table conversations_12 partition of conversations
  for values in (12, 28, 44, 60) with (fillfactor = 50);
create table conversations_13 partition of conversations
  for values in (13, 29, 45, 61) with (fillfactor = 50);
create table conversations_14 partition of conversations
  for values in (14, 30, 46, 62) with (fillfactor = 50);
create table conversations_15 partition of conversations
  for values in (15, 31, 47, 63) with (fillfactor = 50);

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
  -- Entries of their own that counted.
  own bigint not null default 0,
  -- Positions: everything up to here was delivered, read; and what `counted` and `own` were there.
  delivered_seq bigint not null default 0,
  read_seq bigint not null default 0,
  read_counted bigint not null default 0,
  read_own bigint not null default 0,
  -- History up to here is hidden from them.
  reset_seq bigint not null default 0,
  tags text[],
  primary key (bucket, conversation_key, uid)
) partition by list (bucket);
create table participants_0 partition of participants
  for values in (0, 16, 32, 48) with (fillfactor = 60);
create table participants_1 partition of participants
  for values in (1, 17, 33, 49) with (fillfactor = 60);
create table participants_2 partition of participants
  for values in (2, 18, 34, 50) with (fillfactor = 60);
create table participants_3 partition of participants
  for values in (3, 19, 35, 51) with (fillfactor = 60);
create table participants_4 partition of participants
  for values in (4, 20, 36, 52) with (fillfactor = 60);
create table participants_5 partition of participants
  for values in (5, 21, 37, 53) with (fillfactor = 60);
create table participants_6 partition of participants
  for values in (6, 22, 38, 54) with (fillfactor = 60);
create table participants_7 partition of participants
  for values in (7, 23, 39, 55) with (fillfactor = 60);
create table participants_8 partition of participants
  for values in (8, 24, 40, 56) with (fillfactor = 60);
create table participants_9 partition of participants
  for values in (9, 25, 41, 57) with (fillfactor = 60);
create table participants_10 partition of participants
  for values in (10, 26, 42, 58) with (fillfactor = 60);
create table participants_11 partition of participants
  for values in (11, 27, 43, 59) with (fillfactor = 60);
create table participants_12 partition of participants
  for values in (12, 28, 44, 60) with (fillfactor = 60);
create table participants_13 partition of participants
  for values in (13, 29, 45, 61) with (fillfactor = 60);
create table participants_14 partition of participants
  for values in (14, 30, 46, 62) with (fillfactor = 60);
create table participants_15 partition of participants
  for values in (15, 31, 47, 63) with (fillfactor = 60);
create index participants_by_user on participants (app_id, uid) include (bucket, conversation_key);

-- When positions moved: who read an entry, and when, is the first move at or behind it.
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
create table position_moves_0 partition of position_moves
  for values in (0, 16, 32, 48);
create table position_moves_1 partition of position_moves
  for values in (1, 17, 33, 49);
create table position_moves_2 partition of position_moves
  for values in (2, 18, 34, 50);
create table position_moves_3 partition of position_moves
  for values in (3, 19, 35, 51);
create table position_moves_4 partition of position_moves
  for values in (4, 20, 36, 52);
create table position_moves_5 partition of position_moves
  for values in (5, 21, 37, 53);
create table position_moves_6 partition of position_moves
  for values in (6, 22, 38, 54);
create table position_moves_7 partition of position_moves
  for values in (7, 23, 39, 55);
create table position_moves_8 partition of position_moves
  for values in (8, 24, 40, 56);
create table position_moves_9 partition of position_moves
  for values in (9, 25, 41, 57);
create table position_moves_10 partition of position_moves
  for values in (10, 26, 42, 58);
create table position_moves_11 partition of position_moves
  for values in (11, 27, 43, 59);
create table position_moves_12 partition of position_moves
  for values in (12, 28, 44, 60);
create table position_moves_13 partition of position_moves
  for values in (13, 29, 45, 61);
create table position_moves_14 partition of position_moves
  for values in (14, 30, 46, 62);
create table position_moves_15 partition of position_moves
  for values in (15, 31, 47, 63);

create table entries (
  bucket smallint not null,
  conversation_key bigint not null,
  seq bigint not null,
  id bigint not null,
  sent_at bigint not null,
  -- What the conversation's `counted` was once this entry had its place.
  counted bigint not null,
  -- The conversation's `change` when this entry last changed; 0: never.
  change bigint not null default 0,
  updated_at bigint not null,
  edited_at bigint,
  deleted_at bigint,
  parent_seq bigint,
  counts boolean not null,
  app_id text collate "C" not null,
  sender text collate "C" not null,
  category text collate "C" not null,
  type text not null,
  muid text collate "C",
  data jsonb not null,
  -- What stands beside the data, where there is any: tags, mentions, who edited or deleted it.
  extra jsonb,
  -- Deleted for ever: emptied, but its place stays, because the log has no holes.
  erased boolean not null default false,
  primary key (bucket, conversation_key, seq)
) partition by list (bucket);
create table entries_0 partition of entries
  for values in (0, 16, 32, 48);
create table entries_1 partition of entries
  for values in (1, 17, 33, 49);
create table entries_2 partition of entries
  for values in (2, 18, 34, 50);
create table entries_3 partition of entries
  for values in (3, 19, 35, 51);
create table entries_4 partition of entries
  for values in (4, 20, 36, 52);
create table entries_5 partition of entries
  for values in (5, 21, 37, 53);
create table entries_6 partition of entries
  for values in (6, 22, 38, 54);
create table entries_7 partition of entries
  for values in (7, 23, 39, 55);
create table entries_8 partition of entries
  for values in (8, 24, 40, 56);
create table entries_9 partition of entries
  for values in (9, 25, 41, 57);
create table entries_10 partition of entries
  for values in (10, 26, 42, 58);
create table entries_11 partition of entries
  for values in (11, 27, 43, 59);
create table entries_12 partition of entries
  for values in (12, 28, 44, 60);
create table entries_13 partition of entries
  for values in (13, 29, 45, 61);
create table entries_14 partition of entries
  for values in (14, 30, 46, 62);
create table entries_15 partition of entries
  for values in (15, 31, 47, 63);
create unique index entries_by_id on entries (bucket, id);
create unique index entries_by_muid on entries (bucket, conversation_key, sender, muid)
  where muid is not null;
create index entries_by_change on entries (bucket, conversation_key, change) where change > 0;
-- Counted once and gone since: subtracted from unread counts.
create index entries_withdrawn on entries (bucket, conversation_key, seq)
  where counts and deleted_at is not null;

-- The receipt of a batch of appends: which entries the outbox has to publish. Across apps, because
-- a batch is.
create table append_receipts (
  receipt_id bigint generated always as identity primary key,
  at bigint not null,
  buckets smallint[] not null,
  conversation_keys bigint[] not null,
  first_seqs bigint[] not null,
  last_seqs bigint[] not null
);

-- Appends a batch: one entry of a transaction or many of a lane. First come the conversations, in
-- key order, with what they grow by; then the entries, each with the place of its conversation
-- among them and its own place behind the head. Heads are locked in that order, so two batches
-- cannot deadlock; seq and id are allotted under the lock, so both are dense and grow.
-- A function because its plan must not depend on how large the tables happened to be when it was
-- made: every join is a walk of an index, whatever the statistics say.
create function append_entries(
  p_at bigint,
  p_buckets smallint[], p_keys bigint[], p_entries bigint[], p_counted bigint[], p_joins bigint[],
  p_shown bigint[],
  p_conversations int[], p_nth bigint[], p_nth_counted bigint[], p_app_ids text[],
  p_senders text[], p_muids text[], p_categories text[], p_types text[], p_data text[],
  p_extras text[], p_parent_seqs bigint[], p_counts boolean[])
returns table (seq bigint, id bigint, counted bigint)
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  heads bigint[];
  counteds bigint[];
begin
  with moved as (
    update conversations c
    set head = c.head + g.entries,
        counted = c.counted + g.counted,
        participants_count = c.participants_count + g.joins,
        shown_seq = coalesce(c.head + g.shown, c.shown_seq),
        updated_at = case when g.shown is null then c.updated_at else p_at end
    from (
      select * from unnest(p_buckets, p_keys, p_entries, p_counted, p_joins, p_shown)
        with ordinality as t(bucket, key, entries, counted, joins, shown, place)
      order by t.bucket, t.key) g
    where c.bucket = g.bucket and c.conversation_key = g.key
    returning g.place, c.head - g.entries as head, c.counted - g.counted as counted)
  select array_agg(m.head order by m.place), array_agg(m.counted order by m.place)
  into heads, counteds from moved m;
  if coalesce(cardinality(heads), 0) < cardinality(p_keys) then
    raise foreign_key_violation using message = 'A conversation to append to does not exist.';
  end if;

  return query
  with placed as materialized (
    select e.*, heads[e.conversation] + e.nth as seq,
           counteds[e.conversation] + e.nth_counted as counted,
           nextval('entry_numbers') * 64 + p_buckets[e.conversation] as id
    from unnest(p_conversations, p_nth, p_nth_counted, p_app_ids, p_senders, p_muids,
                p_categories, p_types, p_data, p_extras, p_parent_seqs, p_counts)
      as e(conversation, nth, nth_counted, app_id, sender, muid, category, type, data, extra,
           parent_seq, counts)
  ), written as (
    insert into entries (bucket, conversation_key, seq, id, sent_at, counted, updated_at,
                         parent_seq, counts, app_id, sender, category, type, muid, data, extra)
    select p_buckets[e.conversation], p_keys[e.conversation], e.seq, e.id, p_at, e.counted, p_at,
           e.parent_seq, e.counts, e.app_id, e.sender, e.category, e.type, e.muid, e.data::jsonb,
           e.extra::jsonb
    from placed e
  )
  select e.seq, e.id, e.counted from placed e;

  -- A statement of its own: it sees who came and went while the heads were waited for.
  update participants p set own = p.own + s.n
  from (
    select e.conversation, e.sender, count(*) as n
    from unnest(p_conversations, p_senders, p_counts) as e(conversation, sender, counts)
    where e.counts group by e.conversation, e.sender) s
  where p.bucket = p_buckets[s.conversation] and p.conversation_key = p_keys[s.conversation]
    and p.uid = s.sender;

  insert into append_receipts (at, buckets, conversation_keys, first_seqs, last_seqs)
  select p_at, p_buckets, p_keys, array_agg(g.head + 1 order by g.place),
         array_agg(g.head + g.entries order by g.place)
  from unnest(heads, p_entries) with ordinality as g(head, entries, place);
end
$$;
