-- What an edited message said before, for those who look after the app.
create table entry_edits (
  bucket smallint not null,
  conversation_key bigint not null,
  seq bigint not null,
  nth bigint generated always as identity,
  edited_at bigint not null,
  data jsonb not null,
  app_id text collate "C" not null,
  primary key (bucket, conversation_key, seq, nth)
);
