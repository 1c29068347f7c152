-- People who run apps, or the whole install. They sign in to the console; API keys are for programs.
create table collaborators (
  collaborator_id bigint generated always as identity primary key,
  -- In lower case.
  email text collate "C" not null unique,
  name text not null,
  -- In every app, those to come included; null: only in those of `app_collaborators`.
  role text check (role in ('owner', 'developer', 'moderator', 'support', 'viewer')),
  -- `role` was given by a group or domain of the OpenID provider, and goes with it.
  role_by_provider boolean not null default false,
  created_at bigint not null,
  -- Null: signs in by OpenID Connect only.
  password_hash text,
  -- The secret of the second factor; in force once confirmed.
  totp_encrypted bytea,
  totp_confirmed_at bigint,
  -- The last step of 30 seconds whose code was used: none is good twice.
  totp_step bigint not null default 0,
  -- Of recovery codes that are not used yet.
  recovery_hashes bytea[] not null default '{}',
  -- Who they are at the OpenID provider, since they first came from there.
  oidc_issuer text,
  oidc_subject text,
  unique (oidc_issuer, oidc_subject)
);

create table app_collaborators (
  app_id text collate "C" not null references apps on delete cascade,
  collaborator_id bigint not null references collaborators on delete cascade,
  role text not null check (role in ('owner', 'developer', 'moderator', 'support', 'viewer')),
  created_at bigint not null,
  primary key (app_id, collaborator_id)
);
create index app_collaborators_by_person on app_collaborators (collaborator_id);

-- Found by keyed hash of what the cookie holds.
create table collaborator_sessions (
  session_hash bytea primary key,
  -- Its name in lists: says nothing about the cookie.
  session_id text collate "C" not null unique,
  collaborator_id bigint not null references collaborators on delete cascade,
  method text not null check (method in ('password', 'oidc')),
  created_at bigint not null,
  -- To the minute: a call does not wait for a write each time.
  last_used_at bigint not null,
  expires_at bigint not null,
  address text not null,
  user_agent text not null
);
create index collaborator_sessions_by_person on collaborator_sessions (collaborator_id);
create index collaborator_sessions_by_end on collaborator_sessions (expires_at);

-- Wrong passwords and codes for an account, by the address that they came from.
create table sign_in_attempts (
  email text collate "C" not null,
  address text collate "C" not null,
  attempts bigint not null,
  until bigint not null,
  primary key (email, address)
);

-- Which person it was, and by what name at that time.
alter table audit_log add column collaborator_id bigint;
alter table audit_log add column name text;
