-- For how many days messages are kept: of the whole app, or of one conversation.
create table retention_rules (
  app_id text collate "C" not null references apps on delete cascade,
  retention_id bigint generated always as identity,
  days bigint not null check (days > 0),
  guid text collate "C",
  low_uid text collate "C",
  high_uid text collate "C",
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, retention_id),
  foreign key (app_id, guid) references groups on delete cascade,
  foreign key (app_id, low_uid, high_uid) references user_conversations on delete cascade,
  check (num_nonnulls(guid, low_uid) < 2 and (low_uid is null) = (high_uid is null))
);
create unique index retention_rules_of_app on retention_rules (app_id)
  where guid is null and low_uid is null;
create unique index retention_rules_of_group on retention_rules (app_id, guid)
  where guid is not null;
create unique index retention_rules_of_users on retention_rules (app_id, low_uid, high_uid)
  where low_uid is not null;

-- Up to here nothing is left in a conversation: entries are in the order of time, so what is too old
-- is always the beginning.
create table retention_floors (
  app_id text collate "C" not null,
  bucket smallint not null,
  conversation_key bigint not null,
  seq bigint not null,
  primary key (conversation_key)
);
create index retention_floors_by_app on retention_floors (app_id);

-- A walk through the conversations of an app, as a job (docs/jobs.md). The row stays: it is the report.
create table retention_runs (
  app_id text collate "C" not null references apps on delete cascade,
  run_id bigint generated always as identity,
  status text collate "C" not null check (status in ('running', 'done')),
  started_at bigint not null,
  ended_at bigint,
  -- Groups, then pairs of users, then what is beside messages; behind which of them.
  phase text collate "C" not null default 'groups'
    check (phase in ('groups', 'users', 'beside')),
  after_one text collate "C" not null default '',
  after_other text collate "C" not null default '',
  -- In the conversation behind that one: entries up to here are done with.
  at_seq bigint not null default 0,
  conversations bigint not null default 0,
  messages bigint not null default 0,
  held bigint not null default 0,
  -- Rows by table.
  rows_erased jsonb not null default '{}',
  due_at bigint not null,
  leased_until bigint,
  attempt bigint not null default 0,
  primary key (app_id, run_id)
);
create unique index retention_runs_open on retention_runs (app_id) where status <> 'done';
create index retention_runs_by_start on retention_runs (app_id, started_at);
create index retention_runs_due on retention_runs (due_at) where status <> 'done';
create index retention_runs_turns on retention_runs (app_id, due_at) where status <> 'done';
create index retention_runs_leased on retention_runs (app_id, leased_until)
  where leased_until is not null;
