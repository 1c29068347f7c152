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
