-- The version of an app also stands for its keys, settings, roles and trusted issuers, and for the webhooks that are asked
-- before a message.
create or replace function renew_app_version() returns trigger language plpgsql as $$
begin
  update apps set row_version = default where app_id = coalesce(new.app_id, old.app_id);
  return null;
end
$$;

create or replace trigger renew_app_version after update of app_id, key_hash, name, scope or delete on api_keys
  for each row execute function renew_app_version();
create or replace trigger renew_app_version after insert or update or delete on app_settings
  for each row execute function renew_app_version();
create or replace trigger renew_app_version after update or delete on roles
  for each row execute function renew_app_version();
create or replace trigger renew_app_version after insert or update or delete on role_restricted_features
  for each row execute function renew_app_version();
create or replace trigger renew_app_version
  after insert or delete or update of enabled, version, triggers on webhooks
  for each row execute function renew_app_version();
create or replace trigger renew_app_version after update or delete on issuers
  for each row execute function renew_app_version();
