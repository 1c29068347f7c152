-- Grows with every change of rules and keyword lists. Every call reads it with its app, so that
-- each process knows at once whether what it compiled is still right.
alter table apps add column moderation_version bigint not null default 0;

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
