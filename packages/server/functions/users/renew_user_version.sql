-- The version of a user also stands for their tokens. A new one was never remembered.
create or replace function renew_user_version() returns trigger language plpgsql as $$
begin
  update users set row_version = default where app_id = old.app_id and uid = old.uid;
  return null;
end
$$;

create or replace trigger renew_user_version
  after update of app_id, token_hash, uid, expires_at or delete on auth_tokens
  for each row execute function renew_user_version();
