-- What a rule would have caught: a walk back through what an app has said, in stretches. Each
-- stretch is an errand of a worker; what it found is stored together with the place it came to.
create table moderation_dry_runs (
  app_id text collate "C" not null references apps on delete cascade,
  run_id uuid not null,
  status text collate "C" not null default 'waiting'
    check (status in ('waiting', 'running', 'done', 'cancelled', 'failed')),
  -- One rule as it was at that moment, or two to compare; and which revisions of keyword lists.
  rules jsonb not null,
  lists jsonb not null,
  since bigint not null,
  created_at bigint not null,
  ended_at bigint,
  -- Ids of the app's entries, both ends included, and the last one that was looked at.
  first_id bigint,
  last_id bigint,
  reached_id bigint,
  scanned bigint not null default 0,
  -- How many were caught by the first rule only, by the second only, by both.
  only_a bigint not null default 0,
  only_b bigint not null default 0,
  in_both bigint not null default 0,
  -- In milliseconds. While a worker has it in hand: when its lease runs out.
  due_at bigint not null,
  -- Stretches that were begun since the last one that was finished.
  tries bigint not null default 0,
  primary key (app_id, run_id)
);
create index moderation_dry_runs_due on moderation_dry_runs (due_at)
  where status in ('waiting', 'running');
create index moderation_dry_runs_by_age on moderation_dry_runs (created_at);

-- The newest of what was caught. Never what a message says: that can still be deleted.
create table moderation_dry_run_matches (
  app_id text collate "C" not null,
  run_id uuid not null,
  message_id bigint not null,
  caught_by text collate "C" not null check (caught_by in ('a', 'b', 'both')),
  conversation_id text not null,
  sender text collate "C" not null,
  sent_at bigint not null,
  findings jsonb not null,
  primary key (app_id, run_id, message_id),
  foreign key (app_id, run_id) references moderation_dry_runs on delete cascade
);
