-- A row per revision, kept for ever; at most one of a rule is active, none of a deleted one.
create table moderation_rules (
  app_id text collate "C" not null references apps on delete cascade,
  rule_id text collate "C" not null,
  revision bigint not null,
  -- The first revision since the rule was last created: older ones belong to one that was deleted.
  since bigint not null,
  active boolean not null,
  name text not null,
  description text not null,
  enabled boolean not null,
  filters jsonb not null,
  conditions jsonb not null,
  actions text[] not null,
  -- How much it gives to look for: words, bytes, patterns and the work that these are. Null counts as
  -- nothing.
  weight jsonb,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, rule_id, revision)
);
create unique index moderation_rules_active on moderation_rules (app_id, rule_id) where active;

-- The same for keyword lists.
create table moderation_keyword_lists (
  app_id text collate "C" not null references apps on delete cascade,
  list_id text collate "C" not null,
  revision bigint not null,
  active boolean not null,
  name text not null,
  description text,
  category text not null,
  is_csv boolean not null,
  terms text[] not null,
  weight jsonb,
  -- Whom to ask and how, of a list that is an outside classifier; its key or password, encrypted.
  classifier jsonb,
  classifier_secret_encrypted bytea,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, list_id, revision)
);
create unique index moderation_keyword_lists_active
  on moderation_keyword_lists (app_id, list_id) where active;

create table moderation_reasons (
  app_id text collate "C" not null references apps on delete cascade,
  reason_id text collate "C" not null,
  name text not null,
  description text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, reason_id)
);

-- What moderators have to look at, and have looked at: a row per message that a rule has caught or
-- somebody has reported.
create table moderation_cases (
  app_id text collate "C" not null references apps on delete cascade,
  message_id bigint not null,
  -- Where the message is; once it was approved and delivered, where that one is.
  bucket smallint not null,
  conversation_key bigint not null,
  seq bigint not null,
  kind text not null check (kind in ('blocked', 'flagged')),
  status text not null check (status in ('open', 'approved', 'disapproved')),
  -- Which rule has caught it, and how; null: users have reported it.
  verdict jsonb,
  -- What a reported message said when it was reported: a list of versions. Whatever its author does
  -- to the message, moderators can read them until the case is closed.
  reported jsonb,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, message_id)
);
create index moderation_cases_open on moderation_cases (app_id, kind, message_id)
  where status = 'open';
create index moderation_cases_reviewed on moderation_cases (app_id, updated_at, message_id)
  where status <> 'open';

create table moderation_flags (
  app_id text collate "C" not null,
  message_id bigint not null,
  uid text collate "C" not null,
  reason_id text collate "C" not null,
  remark text,
  flagged_at bigint not null,
  primary key (app_id, message_id, uid),
  foreign key (app_id, message_id) references moderation_cases on delete cascade
);

-- The queue of messages and edits that wait for classifiers. Those of one sender in one conversation
-- take effect in the order of their places: what is answered early keeps its outcome and waits for
-- the others.
create table moderation_classifications (
  app_id text collate "C" not null references apps on delete cascade,
  place bigint generated always as identity,
  bucket smallint not null,
  conversation_key bigint not null,
  seq bigint not null,
  message_id bigint not null,
  parent_seq bigint,
  sender text collate "C" not null,
  -- What an edit would change; null: the message itself is new, and hidden.
  edit jsonb,
  -- A queue (docs/jobs.md).
  asked_at bigint not null,
  due_at bigint not null,
  leased_until bigint,
  attempt bigint not null default 0,
  outcome jsonb,
  primary key (app_id, place)
);
create index moderation_classifications_due on moderation_classifications (due_at) where outcome is null;
create index moderation_classifications_turns on moderation_classifications (app_id, due_at)
  where outcome is null;
create index moderation_classifications_leased on moderation_classifications (app_id, leased_until)
  where leased_until is not null;
create index moderation_classifications_order
  on moderation_classifications (bucket, conversation_key, sender, place);

-- Messages that live elsewhere and are only moderated here: in no conversation, seen by no user. A
-- worker does it; what it decided is stored together with the event that tells of it.
create table moderation_submissions (
  app_id text collate "C" not null references apps on delete cascade,
  -- Of the sequence of entries, so that no message of either kind has the id of another.
  id bigint not null,
  muid text collate "C",
  sender text collate "C" not null,
  receiver_type text collate "C" not null check (receiver_type in ('user', 'group')),
  receiver text collate "C" not null,
  category text collate "C" not null,
  type text collate "C" not null,
  data jsonb not null,
  -- As that of entries: tags, mentions, who edited it.
  extra jsonb,
  sent_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  edited_at bigint,
  -- Grows with every edit: a result holds for the revision that was read.
  revision bigint not null default 1,
  -- As the message shows it, and which rule has caught it.
  moderation jsonb not null default '{"status": "pending"}',
  status text collate "C" not null generated always as (moderation ->> 'status') stored
    check (status in ('pending', 'approved', 'disapproved')),
  verdict jsonb,
  -- A queue (docs/jobs.md). Attempts count from the last edit.
  due_at bigint not null default extract(epoch from clock_timestamp()) * 1000,
  leased_until bigint,
  attempt bigint not null default 0,
  primary key (app_id, id)
);
create unique index moderation_submissions_by_muid
  on moderation_submissions (app_id, sender, receiver_type, receiver, muid) where muid is not null;
-- A list walks one of these, in the order of ids; most are approved, and nobody looks for those.
create index moderation_submissions_by_sender on moderation_submissions (app_id, sender, id);
create index moderation_submissions_by_receiver
  on moderation_submissions (app_id, receiver_type, receiver, id);
create index moderation_submissions_by_category on moderation_submissions (app_id, category, id);
create index moderation_submissions_by_type on moderation_submissions (app_id, type, id);
create index moderation_submissions_by_status on moderation_submissions (app_id, status, id)
  where status <> 'approved';
create index moderation_submissions_due on moderation_submissions (due_at)
  where status = 'pending';
create index moderation_submissions_turns on moderation_submissions (app_id, due_at)
  where status = 'pending';
create index moderation_submissions_leased on moderation_submissions (app_id, leased_until)
  where leased_until is not null;
create index moderation_submissions_by_age on moderation_submissions (created_at);

-- What a rule would have caught: a walk back through what an app has said, in ranges. Each range is a
-- job of a worker; what it found is stored together with the id it came to.
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
  -- A queue (docs/jobs.md). Attempts count from the last range that was finished.
  due_at bigint not null,
  leased_until bigint,
  attempt bigint not null default 0,
  primary key (app_id, run_id)
);
create index moderation_dry_runs_due on moderation_dry_runs (due_at)
  where status in ('waiting', 'running');
create index moderation_dry_runs_turns on moderation_dry_runs (app_id, due_at)
  where status in ('waiting', 'running');
create index moderation_dry_runs_leased on moderation_dry_runs (app_id, leased_until)
  where leased_until is not null;
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
