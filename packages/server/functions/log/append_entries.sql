-- Appends a batch: one entry of a transaction or many of a write batcher. First come the
-- conversations, in key order, with what they grow by; then the entries, each with the index of its
-- conversation among them and its own number behind the head. Heads are locked in that order, so two
-- batches cannot deadlock; seq and id are allotted under the lock, so both are dense and grow.
-- A function because its plan must not depend on how large the tables happened to be when it was
-- made: every join is a walk of an index, whatever the statistics say.
create or replace function append_entries(
  p_at bigint,
  p_buckets smallint[], p_keys bigint[], p_entries bigint[], p_counted bigint[], p_joins bigint[],
  p_shown bigint[],
  p_conversations int[], p_nth bigint[], p_nth_counted bigint[], p_app_ids text[],
  p_senders text[], p_muids text[], p_categories text[], p_types text[], p_data text[],
  p_extras text[], p_parent_seqs bigint[], p_counts boolean[], p_verdicts text[] default null)
returns table (seq bigint, id bigint, counted bigint, at bigint, receipt bigint)
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
-- Else it is planned anew for every length of the arrays, which costs more than the work.
set plan_cache_mode = force_generic_plan
as $$
declare
  heads bigint[];
  counteds bigint[];
  ats bigint[];
  written_receipt bigint;
begin
  with moved as (
    update conversations c
    set head = c.head + g.entries,
        counted = c.counted + g.counted,
        participants_count = c.participants_count + g.joins,
        shown_seq = coalesce(c.head + g.shown, c.shown_seq),
        last_at = greatest(c.last_at, p_at),
        updated_at = case when g.shown is null then c.updated_at else greatest(c.last_at, p_at) end
    from (
      select * from unnest(p_buckets, p_keys, p_entries, p_counted, p_joins, p_shown)
        with ordinality as t(bucket, key, entries, counted, joins, shown, place)
      order by t.bucket, t.key) g
    where c.bucket = g.bucket and c.conversation_key = g.key
    returning g.place, c.head - g.entries as head, c.counted - g.counted as counted, c.last_at)
  select array_agg(m.head order by m.place), array_agg(m.counted order by m.place),
         array_agg(m.last_at order by m.place)
  into heads, counteds, ats from moved m;
  if coalesce(cardinality(heads), 0) < cardinality(p_keys) then
    raise foreign_key_violation using message = 'A conversation to append to does not exist.';
  end if;

  written_receipt := record_appends(p_at, p_buckets, p_keys, heads, p_entries);

  return query
  with placed as materialized (
    select e.*, heads[e.conversation] + e.nth as seq,
           counteds[e.conversation] + e.nth_counted as counted,
           nextval('entry_numbers') * 64 + p_buckets[e.conversation] as id
    from unnest(p_conversations, p_nth, p_nth_counted, p_app_ids, p_senders, p_muids,
                p_categories, p_types, p_data, p_extras, p_parent_seqs, p_counts, p_verdicts)
      as e(conversation, nth, nth_counted, app_id, sender, muid, category, type, data, extra,
           parent_seq, counts, verdict)
  ), written as (
    insert into entries (bucket, conversation_key, seq, id, sent_at, counted, parent_seq, counts,
                         app_id, sender, category, type, muid, data, extra, verdict, erased,
                         deleted_at)
    select p_buckets[e.conversation], p_keys[e.conversation], e.seq, e.id, ats[e.conversation],
           e.counted, e.parent_seq, e.counts, e.app_id, e.sender, e.category,
           e.type, e.muid, e.data::json, e.extra::jsonb, e.verdict::jsonb,
           coalesce(e.verdict::jsonb ? 'sealed', false),
           case when e.verdict::jsonb ? 'sealed' then ats[e.conversation] end
    from placed e
  )
  select e.seq, e.id, e.counted, ats[e.conversation], written_receipt from placed e;

  -- A statement of its own: it sees who came and went while the heads were waited for.
  update participants p set own = p.own + s.n
  from (
    select e.conversation, e.sender, count(*) as n
    from unnest(p_conversations, p_senders, p_counts) as e(conversation, sender, counts)
    where e.counts group by e.conversation, e.sender) s
  where p.bucket = p_buckets[s.conversation] and p.conversation_key = p_keys[s.conversation]
    and p.uid = s.sender;

  if array_remove(p_parent_seqs, null) <> '{}' then
    -- Whoever reads the parent knows that it is worth asking for its replies.
    update entries e set extra = coalesce(e.extra, '{}') || '{"thread": true}'
    from unnest(p_conversations, p_parent_seqs) as n(conversation, parent_seq)
    where e.bucket = p_buckets[n.conversation] and e.conversation_key = p_keys[n.conversation]
      and e.seq = n.parent_seq and e.extra -> 'thread' is null;
  end if;
end
$$;
