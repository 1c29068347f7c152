-- Whether what a batch of appends was decided on still holds: of each entry the versions of its app,
-- sender and receiver, and the sender's membership of the group. Null: not compared. Returns `p_at`, so that
-- an append can stand behind it in one statement; fails with the numbers of the entries that are stale.
create or replace function require_current(
  p_at bigint, p_app_ids text[], p_senders text[], p_app_versions bigint[],
  p_sender_versions bigint[], p_receivers text[], p_receiver_versions bigint[], p_guids text[],
  p_group_versions bigint[], p_scopes text[], p_joined_ats bigint[])
returns bigint
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  stale bigint[];
begin
  select array_agg(e.nth) into stale
  from unnest(p_app_ids, p_senders, p_app_versions, p_sender_versions, p_receivers,
              p_receiver_versions, p_guids, p_group_versions, p_scopes, p_joined_ats)
    with ordinality
    as e(app_id, sender, app_version, sender_version, receiver, receiver_version, guid,
         group_version, scope, joined_at, nth)
  where (e.app_version is not null and not exists (
          select from apps a where a.app_id = e.app_id and a.row_version = e.app_version))
     or (e.sender_version is not null and not exists (
          select from users u where u.app_id = e.app_id and u.uid = e.sender
            and u.row_version = e.sender_version))
     or (e.receiver_version is not null and not exists (
          select from users u where u.app_id = e.app_id and u.uid = e.receiver
            and u.row_version = e.receiver_version))
     or (e.group_version is not null and not exists (
          select from groups g where g.app_id = e.app_id and g.guid = e.guid
            and g.row_version = e.group_version))
     or (e.scope is not null and not exists (
          select from group_members m where m.app_id = e.app_id and m.guid = e.guid
            and m.uid = e.sender and m.scope = e.scope and m.joined_at = e.joined_at));
  if stale is not null then
    raise exception using errcode = 'CH001', message = 'Stale entries are not appended.',
      detail = array_to_string(stale, ',');
  end if;
  return p_at;
end
$$;
