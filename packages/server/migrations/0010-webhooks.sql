create table webhooks (
  app_id text collate "C" not null references apps on delete cascade,
  webhook_id text collate "C" not null,
  -- 1: the older generation, 2: the current one.
  version smallint not null check (version in (1, 2)),
  name text not null,
  url text not null,
  use_basic_auth boolean not null,
  username text,
  password_encrypted bytea,
  secret_encrypted bytea not null,
  -- After a change of secret both sign, for a while.
  old_secret_encrypted bytea,
  old_secret_until bigint,
  enabled boolean not null,
  retry_on_failure boolean not null,
  retry_hours smallint not null,
  on_failure text not null check (on_failure in ('open', 'closed')),
  triggers text[] not null default '{}',
  -- Null: the last delivery was taken.
  failing_since bigint,
  -- Nothing is tried before, in milliseconds: its receiver did not answer several times.
  resting_until bigint not null default 0,
  -- When the service itself switched it off.
  disabled_at bigint,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, webhook_id)
);
create index webhooks_before_message on webhooks (app_id, webhook_id)
  where enabled and version = 1 and triggers @> '{before_message}';

-- What is to be sent, what was sent and how it was answered. Rows go by age, also those of a webhook
-- that is gone, so there is no foreign key.
create table webhook_deliveries (
  app_id text collate "C" not null,
  webhook_id text collate "C" not null,
  -- A uuid of version 7: grows with time.
  delivery_id uuid not null,
  event_id text collate "C" not null,
  trigger text collate "C" not null,
  -- The ordering key: deliveries with the same one stay in order.
  ordering_key text collate "C" not null,
  place bigint generated always as identity,
  body text not null,
  status text not null default 'waiting' check (status in ('waiting', 'delivered', 'failed')),
  -- Since when it is tried, and how often it was since: a redelivery begins anew.
  opened_at bigint not null,
  tries smallint not null default 0,
  attempts bigint not null default 0,
  next_attempt_at bigint,
  -- The last attempts, oldest first.
  log jsonb not null default '[]',
  created_at bigint not null,
  primary key (app_id, webhook_id, delivery_id)
);
-- One delivery, however often the event comes.
create unique index webhook_deliveries_once on webhook_deliveries (app_id, webhook_id, event_id);
create index webhook_deliveries_waiting on webhook_deliveries (app_id, webhook_id, ordering_key, place)
  where status = 'waiting';
create index webhook_deliveries_failed on webhook_deliveries (app_id, webhook_id, delivery_id)
  where status = 'failed';
create index webhook_deliveries_by_trigger on webhook_deliveries (app_id, webhook_id, trigger, delivery_id);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- A row for each ordering key that has something waiting: only its first delivery is tried. Whoever
-- adds a delivery or ends one holds this row. A queue (docs/jobs.md).
create table webhook_ordering_keys (
  app_id text collate "C" not null,
  webhook_id text collate "C" not null,
  ordering_key text collate "C" not null,
  due_at bigint not null,
  leased_until bigint,
  attempt bigint not null default 0,
  primary key (app_id, webhook_id, ordering_key)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index webhook_ordering_keys_due on webhook_ordering_keys (due_at);
create index webhook_ordering_keys_turns on webhook_ordering_keys (app_id, webhook_id, due_at);
create index webhook_ordering_keys_leased on webhook_ordering_keys (app_id, webhook_id, leased_until)
  where leased_until is not null;
