-- Who is notified of what, by which provider, on which devices, and what became of each notification.

-- What differs from the defaults: one flat object, a path such as `sound.chat` as each key, so that
-- a change is one `||` and two at the same moment both count.
create table notification_settings (
  app_id text collate "C" primary key references apps on delete cascade,
  settings jsonb not null
);

-- What a user has chosen, as flat as above, and the time zone of their schedule.
create table notification_preferences (
  app_id text collate "C" not null,
  uid text collate "C" not null,
  choices jsonb not null default '{}',
  timezone text,
  primary key (app_id, uid),
  foreign key (app_id, uid) references users on delete cascade
);

create table muted_conversations (
  app_id text collate "C" not null,
  uid text collate "C" not null,
  type text not null check (type in ('oneOnOne', 'group')),
  -- Uid or guid; nobody has to be there.
  id text collate "C" not null,
  -- Unix milliseconds; null: for ever.
  until_ms bigint,
  primary key (app_id, uid, type, id),
  foreign key (app_id, uid) references users on delete cascade
);

create table contact_details (
  app_id text collate "C" not null,
  uid text collate "C" not null,
  email text,
  phno text,
  updated_at bigint not null,
  primary key (app_id, uid),
  foreign key (app_id, uid) references users on delete cascade
);

create table extensions (
  app_id text collate "C" not null references apps on delete cascade,
  extension_id text collate "C" not null,
  enabled_at bigint not null,
  primary key (app_id, extension_id)
);

-- The push extension, as the management API saves it. What is not in `settings` has its default.
create table push_settings (
  app_id text collate "C" primary key references apps on delete cascade,
  settings jsonb not null,
  private_key_encrypted bytea,
  updated_at bigint not null
);

create table push_certificates (
  app_id text collate "C" not null references apps on delete cascade,
  kind text not null check (kind in ('p8', 'p12')),
  -- JSON with the file in base64 and its password.
  certificate_encrypted bytea not null,
  uploaded_at bigint not null,
  primary key (app_id, kind)
);

-- FCM and APNs have several, by an id that the app chooses; of the others there is one, named after
-- its kind.
create table notification_providers (
  app_id text collate "C" not null references apps on delete cascade,
  channel text not null check (channel in ('push', 'sms', 'email')),
  kind text collate "C" not null,
  provider_id text collate "C" not null,
  is_default boolean not null,
  is_enabled boolean not null,
  settings jsonb not null,
  -- Each kind has one secret.
  secret_encrypted bytea not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, channel, kind, provider_id)
);
create unique index notification_providers_default
  on notification_providers (app_id, channel, kind) where is_default;

-- Where a device is to be reached: one token of each type per session, gone with its auth token.
create table push_tokens (
  app_id text collate "C" not null,
  token_hash bytea not null,
  type text not null check (type in ('chat', 'call')),
  uid text collate "C" not null,
  kind text collate "C" not null check (kind in ('fcm', 'apns', 'web')),
  platform text not null,
  -- Null: whatever is the default of its kind.
  provider_id text collate "C",
  push_token text not null,
  push_token_hash bytea not null,
  -- Of a browser: what a push is encrypted with.
  keys jsonb,
  -- Set when the provider has said that nobody is there.
  gone_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, token_hash, type),
  foreign key (app_id, token_hash) references auth_tokens on delete cascade
);
create index push_tokens_by_user on push_tokens (app_id, uid);
create unique index push_tokens_by_token on push_tokens (app_id, push_token_hash);

create table notification_log_switches (
  app_id text collate "C" primary key references apps on delete cascade,
  enabled_at bigint not null
);

-- Every notification: first a job, then the log that people read. A listener writes the row in the
-- transaction of its event; an event that is handled twice finds it, by the primary key. A digest, by
-- e-mail or SMS, speaks of all messages of a conversation that came while it waited.
create table notification_deliveries (
  app_id text collate "C" not null references apps on delete cascade,
  -- Orders the log.
  delivery_id bigint generated always as identity,
  -- Id of the event.
  source text collate "C" not null,
  trigger text collate "C" not null,
  uid text collate "C" not null,
  channel text not null check (channel in ('push', 'sms', 'email')),
  -- Hash of the push token; empty where there is one way to the user only.
  device bytea not null,
  -- `withheld` by a preference; the others are tried.
  status text not null check (status in ('waiting', 'sent', 'failed', 'withheld')),
  -- Two queues, one of pushes and one of digests (docs/jobs.md).
  due_at bigint not null,
  leased_until bigint,
  attempt bigint not null default 0,
  reason text,
  provider text collate "C",
  provider_id text collate "C",
  token_type text,
  push_token text,
  payload jsonb,
  response jsonb,
  message_id bigint,
  message_sent_at_ms bigint,
  message_category text,
  message_type text,
  -- Of a digest: the first and the last message that it speaks of.
  conversation_key bigint,
  from_seq bigint,
  to_seq bigint,
  reaction_id bigint,
  sender text collate "C",
  receiver text collate "C",
  receiver_type text,
  reaction_sender text collate "C",
  reaction_receiver text collate "C",
  member text collate "C",
  created_at bigint not null,
  started_at_ms bigint,
  ended_at_ms bigint,
  primary key (app_id, source, trigger, uid, channel, device)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index notification_deliveries_due on notification_deliveries (due_at)
  where status = 'waiting' and channel = 'push';
create index notification_deliveries_turns on notification_deliveries (app_id, due_at)
  where status = 'waiting' and channel = 'push';
create index notification_deliveries_leased on notification_deliveries (app_id, leased_until)
  where leased_until is not null;
create unique index notification_deliveries_log on notification_deliveries (app_id, delivery_id);
create index notification_deliveries_by_user
  on notification_deliveries (app_id, uid, delivery_id);
create index notification_deliveries_by_message
  on notification_deliveries (app_id, message_id, delivery_id) where message_id is not null;
-- For what is too old to be read.
create index notification_deliveries_by_time on notification_deliveries (created_at);
-- Until it is claimed for the first time, a digest takes in what comes: there is one such digest.
create unique index notification_deliveries_open_digests
  on notification_deliveries (app_id, uid, channel, conversation_key)
  where status = 'waiting' and attempt = 0 and channel <> 'push';
create index notification_deliveries_digests
  on notification_deliveries (app_id, uid, channel, conversation_key, to_seq) where channel <> 'push';
create index notification_deliveries_digests_due
  on notification_deliveries (due_at) where status = 'waiting' and channel <> 'push';
create index notification_deliveries_digests_turns
  on notification_deliveries (app_id, due_at) where status = 'waiting' and channel <> 'push';
-- So many a day.
create index notification_deliveries_digests_sent
  on notification_deliveries (app_id, uid, channel, ended_at_ms)
  where status = 'sent' and channel <> 'push';
