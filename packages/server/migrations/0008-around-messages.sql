-- What people do with a message, beside writing and reading it.

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
do $$
begin
  for i in 0..15 loop
    execute format('create table reactions_%s partition of reactions for values in (%s, %s, %s, %s)',
                   i, i, i + 16, i + 32, i + 48);
  end loop;
end
$$;
create index reactions_of_entry on reactions (bucket, conversation_key, seq, id);
create index reactions_of_kind on reactions (bucket, conversation_key, seq, reaction, id);

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
