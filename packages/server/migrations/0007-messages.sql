-- What people do with a message, beside sending and reading it.

-- What an edited message said before, for those who look after the app.
create table entry_edits (
  bucket smallint not null,
  conversation_key bigint not null,
  seq bigint not null,
  nth bigint generated always as identity,
  edited_at bigint not null,
  data json not null,
  app_id text collate "C" not null,
  primary key (bucket, conversation_key, seq, nth)
);

-- A message with replies.
create table threads (
  bucket smallint not null,
  conversation_key bigint not null,
  seq bigint not null,
  app_id text collate "C" not null,
  -- Replies that are not deleted.
  replies bigint not null,
  last_reply_id bigint not null,
  primary key (bucket, conversation_key, seq)
) partition by list (bucket);

-- Who follows the replies to a message. A row that is not active says that they left, so that
-- the next reply does not bring them back.
create table thread_subscriptions (
  bucket smallint not null,
  conversation_key bigint not null,
  seq bigint not null,
  uid text collate "C" not null,
  active boolean not null,
  app_id text collate "C" not null,
  primary key (bucket, conversation_key, seq, uid)
);
create index thread_subscriptions_by_user on thread_subscriptions (app_id, uid);

-- One row per user and reaction; how many there are of each also stands in the entry's `extra`.
create table reactions (
  bucket smallint not null,
  conversation_key bigint not null,
  uid text collate "C" not null,
  seq bigint not null,
  reaction text collate "C" not null,
  -- Drawn as the id of an entry is.
  id bigint not null,
  reacted_at bigint not null,
  app_id text collate "C" not null,
  primary key (bucket, conversation_key, uid, seq, reaction)
) partition by list (bucket);

create table pins (
  bucket smallint not null,
  conversation_key bigint not null,
  seq bigint not null,
  app_id text collate "C" not null,
  primary key (bucket, conversation_key, seq)
);

create table saves (
  app_id text collate "C" not null,
  uid text collate "C" not null,
  bucket smallint not null,
  conversation_key bigint not null,
  seq bigint not null,
  saved_at bigint not null,
  primary key (app_id, uid, bucket, conversation_key, seq),
  foreign key (app_id, uid) references users on delete cascade
);
create index saves_of_entry on saves (bucket, conversation_key, seq);

-- Which elements of an interactive message a user has touched, and when first.
create table interactions (
  bucket smallint not null,
  conversation_key bigint not null,
  seq bigint not null,
  uid text collate "C" not null,
  element_id text collate "C" not null,
  interacted_at bigint not null,
  app_id text collate "C" not null,
  primary key (bucket, conversation_key, seq, uid, element_id)
);

-- What messages are found by: hashes of the prefixes of their words, made of the app and the word,
-- and one of the conversation, so that its own rows are found without those of others. Written
-- after the send, by a listener.
create table entry_words (
  bucket smallint not null,
  conversation_key bigint not null,
  id bigint not null,
  seq bigint not null,
  -- The entry's `change` that the words are of. One that was deleted keeps its row, without words,
  -- so that whoever read it before cannot put them back.
  change bigint not null,
  app_id text collate "C" not null,
  -- Hashes: any number is one.
  -- squawk-ignore prefer-bigint-over-int
  words int[] not null,
  primary key (bucket, conversation_key, id)
) partition by list (bucket);

-- As those of entries.
do $$
declare
  parent text;
begin
  foreach parent in array array['threads', 'reactions', 'entry_words'] loop
    for i in 0..15 loop
      execute format('create table %s_%s partition of %s for values in (%s, %s, %s, %s)',
                     parent, i, parent, i, i + 16, i + 32, i + 48);
    end loop;
  end loop;
end
$$;

create index threads_by_last_reply on threads (app_id, last_reply_id);
create index reactions_of_entry on reactions (bucket, conversation_key, seq, id);
create index reactions_of_kind on reactions (bucket, conversation_key, seq, reaction, id);
create index entry_words_by_id on entry_words (app_id, id);
-- Rows wait in the pending list until they are sorted into the index; every search reads that list:
-- kilobytes.
create index entry_words_by_word on entry_words using gin (words)
  with (gin_pending_list_limit = 256);
