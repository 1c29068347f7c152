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
