create table groups (
  app_id text collate "C" not null references apps on delete cascade,
  guid text collate "C" not null,
  name text not null,
  sort_name text collate "C" not null,
  type text not null check (type in ('public', 'password', 'private')),
  password_hash text,
  icon text,
  description text,
  metadata jsonb,
  owner text collate "C" not null,
  tags text[],
  bucket smallint not null,
  conversation_key bigint not null,
  created_at bigint not null,
  updated_at bigint,
  updated_by text collate "C",
  row_version bigint not null default nextval('row_versions'),
  primary key (app_id, guid)
);

create unique index groups_by_conversation on groups (bucket, conversation_key);
-- Lists are ordered by name; the flag comes first, so that private groups of others cost nothing.
create index groups_by_name on groups (app_id, (type = 'private'), sort_name, guid);
create index groups_by_creation on groups (app_id, created_at, guid);
create index groups_by_update on groups (app_id, (coalesce(updated_at, created_at)), guid);
create index groups_by_tag on groups using gin (app_id, tags) where tags is not null;
create index groups_by_owner on groups (app_id, owner);

create table group_members (
  app_id text collate "C" not null,
  guid text collate "C" not null,
  uid text collate "C" not null,
  scope text not null check (scope in ('admin', 'moderator', 'participant')),
  joined_at bigint not null,
  primary key (app_id, guid, uid),
  foreign key (app_id, guid) references groups on delete cascade
);
create index group_members_by_user on group_members (app_id, uid, guid);
create index group_members_by_scope on group_members (app_id, guid, scope, uid)
  where scope <> 'participant';

create table group_bans (
  app_id text collate "C" not null,
  guid text collate "C" not null,
  uid text collate "C" not null,
  banned_at bigint not null,
  banned_by text collate "C" not null,
  primary key (app_id, guid, uid),
  foreign key (app_id, guid) references groups on delete cascade,
  foreign key (app_id, uid) references users on delete cascade
);

create table group_scope_permissions (
  app_id text collate "C" not null,
  guid text collate "C" not null,
  scope text not null,
  permissions jsonb not null,
  primary key (app_id, guid, scope),
  foreign key (app_id, guid) references groups on delete cascade
);

-- Wrong passwords of groups: counted by the database, so that the limit holds for all processes
-- together. A row is gone with the first right password.
create table group_password_attempts (
  app_id text collate "C" not null,
  guid text collate "C" not null,
  uid text collate "C" not null,
  attempts bigint not null,
  -- Then they are forgotten.
  until bigint not null,
  primary key (app_id, guid, uid),
  foreign key (app_id, guid) references groups on delete cascade
);
create index group_password_attempts_by_age on group_password_attempts (app_id, until);
