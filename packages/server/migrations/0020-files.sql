-- Files that clients have brought, or are about to bring. The bytes are in a store; a row says what they are.
-- Partitioned by the id, whose end is random: a billion rows are 16 tables of one size, each statement opens
-- one of them, and the ids of a moment lie side by side in its index. No statement looks for them otherwise.
create table files (
  app_id text collate "C" not null references apps on delete cascade,
  file_id uuid not null,
  -- Null: the app itself has brought it.
  uid text collate "C",
  -- Null: the store of the install.
  store_id bigint,
  state text collate "C" not null check (state in ('waiting', 'checking', 'ready', 'refused')),
  size bigint not null,
  created_at bigint not null,
  -- By what the store knows an upload of several parts.
  parts_id text,
  name text not null,
  mime_type text not null,
  -- What checks have found out about it.
  facts jsonb,
  primary key (app_id, file_id)
) partition by hash (file_id);

-- Which message names which file; a file may be named by several.
create table message_files (
  bucket smallint not null,
  conversation_key bigint not null,
  seq bigint not null,
  file_id uuid not null,
  app_id text collate "C" not null,
  primary key (bucket, conversation_key, seq, file_id)
) partition by list (bucket);

do $$
begin
  for i in 0..15 loop
    execute format('create table files_%s partition of files for values with (modulus 16, remainder %s)', i, i);
    execute format('create table message_files_%s partition of message_files for values in (%s, %s, %s, %s)',
                   i, i, i + 16, i + 32, i + 48);
  end loop;
end
$$;

-- Whether any message names a file; asked when one ceases to.
create index message_files_of_file on message_files (app_id, file_id);

-- Bytes of files, by user; those of an app, with an empty uid, in slots, so that uploads of a moment do not
-- wait for each other.
create table file_usage (
  app_id text collate "C" not null references apps on delete cascade,
  uid text collate "C" not null,
  slot smallint not null,
  files bigint not null,
  bytes bigint not null,
  primary key (app_id, uid, slot)
)
with (fillfactor = 60);

-- Files that may be removed from then on. Every upload has one: if no message names the file by then, it goes.
create table file_removals (
  app_id text collate "C" not null references apps on delete cascade,
  file_id uuid not null,
  store_id bigint,
  parts_id text,
  due_at bigint not null,
  leased_until bigint,
  attempt bigint not null default 0,
  primary key (app_id, file_id)
);
create index file_removals_due on file_removals (due_at);
create index file_removals_turns on file_removals (app_id, due_at);
create index file_removals_leased on file_removals (app_id, leased_until) where leased_until is not null;

-- Files that are looked at before others may see them.
create table file_checks (
  app_id text collate "C" not null references apps on delete cascade,
  file_id uuid not null,
  -- The step that comes next.
  step text collate "C" not null,
  facts jsonb not null default '{}',
  due_at bigint not null,
  leased_until bigint,
  attempt bigint not null default 0,
  primary key (app_id, file_id)
);
create index file_checks_due on file_checks (due_at);
create index file_checks_turns on file_checks (app_id, due_at);
create index file_checks_leased on file_checks (app_id, leased_until) where leased_until is not null;

-- Buckets that apps have named. What is in one stays there when the app names another.
create table file_stores (
  app_id text collate "C" not null references apps on delete cascade,
  store_id bigint generated always as identity,
  endpoint text not null,
  region text not null,
  bucket text not null,
  prefix text not null,
  style text collate "C" not null check (style in ('path', 'host')),
  uploads text collate "C" not null check (uploads in ('post', 'put')),
  public_url text,
  access_key_id text not null,
  secret_encrypted bytea not null,
  created_at bigint not null,
  -- Where new files go: one of an app at most.
  is_current boolean not null,
  primary key (app_id, store_id)
);
create unique index file_stores_current on file_stores (app_id) where is_current;
