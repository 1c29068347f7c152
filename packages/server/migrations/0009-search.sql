-- What messages are found by: hashes of the beginnings of their words, made of the app and the word,
-- and one of the conversation, so that its own rows are found without those of others. Written
-- after the send, by whoever listens to it.
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
do $$
begin
  for i in 0..15 loop
    execute format('create table entry_words_%s partition of entry_words for values in (%s, %s, %s, %s)',
                   i, i, i + 16, i + 32, i + 48);
  end loop;
end
$$;
create index entry_words_by_id on entry_words (app_id, id);
-- Rows wait to be sorted into the index; every search looks through those that wait: kilobytes.
create index entry_words_by_word on entry_words using gin (words)
  with (gin_pending_list_limit = 256);
