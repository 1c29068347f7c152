-- The outbox marker of a batch of appends: of each conversation, the entries behind its former head.
-- Returns its id.
create or replace function record_appends(
  p_at bigint, p_buckets smallint[], p_keys bigint[], p_heads bigint[], p_entries bigint[])
returns bigint
language plpgsql
as $$
declare
  marker bigint;
begin
  insert into append_receipts (at, buckets, conversation_keys, first_seqs, last_seqs)
  select p_at, p_buckets, p_keys, array_agg(g.head + 1 order by g.place),
         array_agg(g.head + g.entries order by g.place)
  from unnest(p_heads, p_entries) with ordinality as g(head, entries, place)
  returning receipt_id into marker;
  return marker;
end
$$;
