-- Passwords of groups that somebody tried and did not get right: they are counted by the database,
-- so that the limit holds for all processes together. A row is gone with the first right password.
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
