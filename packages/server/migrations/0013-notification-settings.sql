-- What differs from the defaults: one flat object, a path such as `sound.chat` as each key, so that
-- a change is one `||` and two at the same moment both count.
create table notification_settings (
  app_id text collate "C" primary key references apps on delete cascade,
  settings jsonb not null
);

-- What a user has chosen, as flat as above, and the time zone of their schedule.
create table notification_preferences (
  app_id text collate "C" not null,
  uid text collate "C" not null,
  choices jsonb not null default '{}',
  timezone text,
  primary key (app_id, uid),
  foreign key (app_id, uid) references users on delete cascade
);

create table muted_conversations (
  app_id text collate "C" not null,
  uid text collate "C" not null,
  type text not null check (type in ('oneOnOne', 'group')),
  -- Uid or guid; nobody has to be there.
  id text collate "C" not null,
  -- Unix milliseconds; null: for ever.
  until_ms bigint,
  primary key (app_id, uid, type, id),
  foreign key (app_id, uid) references users on delete cascade
);
