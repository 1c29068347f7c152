-- Archived apps whose time is up, and how far their erasure has come. A worker that dies leaves its
-- lease behind; after it another goes on from there.
create table app_erasures (
  app_id text collate "C" primary key references apps on delete cascade,
  at_table text not null default '',
  at_block bigint not null default 0,
  rows_erased bigint not null default 0,
  due_ms bigint not null default 0
);
