-- Of these senders and muids, the entries that are stored already. A function for the sake of its
-- plan, like `append_entries`: only the index of muids has the order that is asked for. (Between
-- two equal ends, because what equals a constant needs no order.)
create or replace function find_muids(
  p_buckets smallint[], p_keys bigint[], p_senders text[], p_muids text[])
returns table (
  bucket smallint, key bigint, sender text, muid text, seq bigint, id bigint, counted bigint,
  at bigint)
language plpgsql
stable
set enable_seqscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  select e.bucket, e.conversation_key, e.sender, e.muid, e.seq, e.id, e.counted, e.sent_at
  from unnest(p_buckets, p_keys, p_senders, p_muids) as w(bucket, key, sender, muid)
  cross join lateral (select md5(w.sender || ' ' || w.muid)::uuid as digest) d
  cross join lateral (
    select e.* from entries e
    where e.bucket = w.bucket and e.conversation_key = w.key and e.muid is not null
      and md5(e.sender || ' ' || e.muid)::uuid between d.digest and d.digest
    order by md5(e.sender || ' ' || e.muid)::uuid limit 1) e;
end
$$;
