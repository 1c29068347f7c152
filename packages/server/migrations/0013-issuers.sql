-- Whose JWTs devices of an app may show instead of an auth token.
create table issuers (
  app_id text collate "C" not null references apps on delete cascade,
  issuer_id text collate "C" not null,
  -- The claim `iss`.
  issuer text collate "C" not null,
  jwks_url text not null,
  -- What a JWT must hold, and what its claims mean.
  settings jsonb not null,
  enabled boolean not null,
  -- Renewed with every change: a session that was opened under another one is checked again.
  version bigint not null default nextval('row_versions'),
  created_at bigint not null,
  updated_at bigint not null,
  primary key (app_id, issuer_id)
);
create unique index issuers_by_name on issuers (app_id, issuer);

-- A JWT that was accepted is a row among the auth tokens until it expires: found by the same hash, ended in
-- the same way. Of an auth token both are null.
alter table auth_tokens add column issuer_id text collate "C";
alter table auth_tokens add column issuer_version bigint;

-- JWTs that were ended before they expire. A row without a hash stands for all of a user that were issued
-- until then; it outlives the user, who would otherwise be created again by a JWT from before.
create table jwt_revocations (
  app_id text collate "C" not null references apps on delete cascade,
  uid text collate "C" not null,
  token_hash bytea not null,
  revoked_at bigint not null,
  -- No JWT from before can be valid after this.
  keep_until bigint not null,
  primary key (app_id, uid, token_hash)
);
create index jwt_revocations_by_end on jwt_revocations (app_id, keep_until);
