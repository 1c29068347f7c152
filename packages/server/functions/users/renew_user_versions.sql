-- The version of a user also stands for whom they have not blocked, and for their friends: a send that was
-- refused is decided again anyway. What is between two users is remembered with the versions of both, so
-- that a change of one is enough. In the order of their uids, so that two statements do not wait for each
-- other.
create or replace function renew_user_versions() returns trigger language plpgsql as $$
begin
  update users u set row_version = default
  from (
    select l.app_id, l.uid from users l
    join (select distinct c.app_id, c.uid from changed c) c on c.app_id = l.app_id and c.uid = l.uid
    order by l.app_id, l.uid for no key update of l) locked
  where u.app_id = locked.app_id and u.uid = locked.uid;
  return null;
end
$$;

create or replace trigger renew_user_versions after insert on blocked_users
  referencing new table as changed for each statement execute function renew_user_versions();
create or replace trigger renew_user_versions after delete on friends
  referencing old table as changed for each statement execute function renew_user_versions();
