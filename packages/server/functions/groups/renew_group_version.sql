-- The version of a group also stands for what its scopes may do. A membership is compared itself, and a ban
-- ends it.
create or replace function renew_group_version() returns trigger language plpgsql as $$
begin
  update groups set row_version = default
  where app_id = coalesce(new.app_id, old.app_id) and guid = coalesce(new.guid, old.guid);
  return null;
end
$$;

create or replace trigger renew_group_version after insert or update or delete on group_scope_permissions
  for each row execute function renew_group_version();
