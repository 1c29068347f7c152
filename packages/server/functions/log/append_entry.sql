-- Appends one message: what `require_current` and `append_entries` do for a batch of one, at less than half
-- of its cost, since nothing is unnested, sorted and joined. Not for replies, for messages that a rule has
-- caught, and for those with which participants come. Null of a version or a scope: not compared.
create or replace function append_entry(
  p_at bigint, p_bucket smallint, p_key bigint, p_app_id text, p_sender text, p_muid text,
  p_category text, p_type text, p_data text, p_extra text, p_counts boolean, p_shows boolean,
  p_app_version bigint, p_sender_version bigint, p_receiver text, p_receiver_version bigint,
  p_guid text, p_group_version bigint, p_scope text, p_joined_at bigint,
  out seq bigint, out id bigint, out counted bigint, out at bigint, out receipt bigint,
  out sender_online boolean, out sender_active_at bigint,
  out receiver_online boolean, out receiver_active_at bigint, out members_count bigint)
language plpgsql
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  if p_app_version is not null and not exists (
       select from apps a where a.app_id = p_app_id and a.row_version = p_app_version)
     or p_sender_version is not null and not exists (
       select from users u where u.app_id = p_app_id and u.uid = p_sender
         and u.row_version = p_sender_version)
     or p_receiver_version is not null and not exists (
       select from users u where u.app_id = p_app_id and u.uid = p_receiver
         and u.row_version = p_receiver_version)
     or p_group_version is not null and not exists (
       select from groups g where g.app_id = p_app_id and g.guid = p_guid
         and g.row_version = p_group_version)
     or p_scope is not null and not exists (
       select from group_members m where m.app_id = p_app_id and m.guid = p_guid
         and m.uid = p_sender and m.scope = p_scope and m.joined_at = p_joined_at)
  then
    raise exception using errcode = 'CH001', message = 'Stale entries are not appended.',
      detail = '1';
  end if;

  update conversations c
  set head = c.head + 1,
      counted = c.counted + p_counts::int,
      shown_seq = case when p_shows then c.head + 1 else c.shown_seq end,
      last_at = greatest(c.last_at, p_at),
      updated_at = case when p_shows then greatest(c.last_at, p_at) else c.updated_at end
  where c.bucket = p_bucket and c.conversation_key = p_key
  returning c.head, c.counted, c.last_at, c.participants_count
  into seq, counted, at, members_count;
  if not found then
    raise foreign_key_violation using message = 'A conversation to append to does not exist.';
  end if;

  receipt := record_append(p_at, p_bucket, p_key, seq);
  id := nextval('entry_numbers') * 64 + p_bucket;
  insert into entries (bucket, conversation_key, seq, id, sent_at, counted, counts, app_id, sender,
                       category, type, muid, data, extra)
  values (p_bucket, p_key, seq, id, at, counted, p_counts, p_app_id, p_sender, p_category, p_type,
          p_muid, p_data::json, p_extra::jsonb);

  if p_counts then
    -- A statement of its own: it sees who came and went while the head was waited for.
    update participants p set own = p.own + 1
    where p.bucket = p_bucket and p.conversation_key = p_key and p.uid = p_sender;
  end if;

  select p.online, p.last_active_at into sender_online, sender_active_at
  from presence p where p.app_id = p_app_id and p.uid = p_sender;
  if p_receiver is not null then
    select p.online, p.last_active_at into receiver_online, receiver_active_at
    from presence p where p.app_id = p_app_id and p.uid = p_receiver;
  end if;
end
$$;
