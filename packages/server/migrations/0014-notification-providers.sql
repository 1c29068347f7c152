-- Who carries notifications to people, where their devices are, and what became of each notification.

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
