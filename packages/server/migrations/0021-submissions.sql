-- Messages that live elsewhere and are only judged here: in no conversation, seen by no user. A
-- worker judges them; what it decided is stored together with the event that tells of it.
create table moderation_submissions (
  app_id text collate "C" not null references apps on delete cascade,
  -- Of the same numbers as entries, so that no message of either kind has the id of another.
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
  -- Grows with every edit: a judgement holds for the one that was judged.
  revision bigint not null default 1,
  -- As the message shows it, and which rule has caught it.
  moderation jsonb not null default '{"status": "pending"}',
  status text collate "C" not null generated always as (moderation ->> 'status') stored
    check (status in ('pending', 'approved', 'disapproved')),
  verdict jsonb,
  -- In milliseconds. While a worker has it in hand: when its lease runs out.
  due_at bigint not null default extract(epoch from clock_timestamp()) * 1000,
  -- How often a worker has taken this revision.
  tries bigint not null default 0,
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
create index moderation_submissions_by_age on moderation_submissions (created_at);
