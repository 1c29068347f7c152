create table roles (
  app_id text collate "C" not null references apps on delete cascade,
  role text collate "C" not null,
  name text not null,
  description text,
  metadata jsonb,
  settings jsonb,
  permissions jsonb not null default '{}',
  created_at bigint not null,
  updated_at bigint,
  primary key (app_id, role)
);

create table role_restricted_features (
  app_id text collate "C" not null,
  role text collate "C" not null,
  feature text collate "C" not null,
  created_at bigint not null,
  primary key (app_id, role, feature),
  foreign key (app_id, role) references roles on delete cascade
);

create table users (
  app_id text collate "C" not null references apps on delete cascade,
  uid text collate "C" not null,
  name text not null,
  -- The name folded by the server, so that order and prefix search do not depend on a locale.
  sort_name text collate "C" not null,
  avatar text,
  link text,
  role text collate "C" not null,
  status_message text,
  metadata jsonb,
  tags text[],
  created_at bigint not null,
  updated_at bigint,
  deactivated_at bigint,
  row_version bigint not null default nextval('row_versions'),
  primary key (app_id, uid),
  foreign key (app_id, role) references roles
);

-- Lists are ordered by name and walk an index without touching the table. Deactivated users have
-- their own, so that they cost the others nothing.
create index users_by_name on users (app_id, sort_name, uid) where deactivated_at is null;
create index deactivated_users_by_name on users (app_id, sort_name, uid) include (role)
  where deactivated_at is not null;
create index users_by_role on users (app_id, role, sort_name, uid) include (deactivated_at);

create extension if not exists btree_gin;
create index users_by_tag on users using gin (app_id, tags) where tags is not null;

-- Who is online. Separate from users: it changes with every connection.
create table presence (
  app_id text collate "C" not null,
  uid text collate "C" not null,
  online boolean not null,
  last_active_at bigint not null,
  primary key (app_id, uid),
  foreign key (app_id, uid) references users on delete cascade
);
create index presence_online on presence (app_id, uid) where online;

-- A user is online while a gateway holds a connection of theirs. A gateway renews its lease, which
-- stands for all of its users: when it runs out, another gateway ends their presence.
create table gateway_leases (
  gateway_id uuid primary key,
  -- By the clock of the database, so that gateways need not agree on the time.
  renewed_at bigint not null
);

-- Which gateway holds whom. Across apps, because a gateway is.
create table presence_leases (
  app_id text collate "C" not null,
  uid text collate "C" not null,
  gateway_id uuid not null references gateway_leases on delete cascade,
  primary key (app_id, uid, gateway_id),
  foreign key (app_id, uid) references presence on delete cascade
);
create index presence_leases_by_gateway on presence_leases (gateway_id);

create table auth_tokens (
  app_id text collate "C" not null,
  token_hash bytea not null,
  uid text collate "C" not null,
  token_encrypted bytea not null,
  platform text,
  user_agent text,
  app_info jsonb,
  created_at bigint not null,
  -- Null: it never expires.
  expires_at bigint,
  -- Orders tokens of the same second.
  nth bigint generated always as identity,
  primary key (app_id, token_hash),
  foreign key (app_id, uid) references users on delete cascade
);
create index auth_tokens_by_user on auth_tokens (app_id, uid, nth);

-- Friendship is symmetric: two rows.
create table friends (
  app_id text collate "C" not null,
  uid text collate "C" not null,
  friend_uid text collate "C" not null,
  created_at bigint not null,
  primary key (app_id, uid, friend_uid),
  foreign key (app_id, uid) references users on delete cascade,
  foreign key (app_id, friend_uid) references users on delete cascade
);

-- Blocking has a direction: `uid` blocked `blocked_uid`.
create table blocked_users (
  app_id text collate "C" not null,
  uid text collate "C" not null,
  blocked_uid text collate "C" not null,
  blocked_at bigint not null,
  primary key (app_id, uid, blocked_uid),
  foreign key (app_id, uid) references users on delete cascade,
  foreign key (app_id, blocked_uid) references users on delete cascade
);
create index blocked_users_by_blocked on blocked_users (app_id, blocked_uid, uid);
