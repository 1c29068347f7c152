-- The outbox marker of one entry that was appended by itself: what `record_appends` does for a batch.
create or replace function record_append(p_at bigint, p_bucket smallint, p_key bigint, p_seq bigint)
returns bigint
language plpgsql
as $$
declare
  marker bigint;
begin
  insert into append_receipts (at, buckets, conversation_keys, first_seqs, last_seqs)
  values (p_at, array[p_bucket], array[p_key], array[p_seq], array[p_seq])
  returning receipt_id into marker;
  return marker;
end
$$;
