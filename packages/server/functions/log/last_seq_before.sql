-- The last entry before an id and a time (either may be null); 0: there is none.
create or replace function last_seq_before(p_bucket smallint, p_key bigint, p_id bigint, p_at bigint)
returns bigint
language plpgsql
stable
as $$
declare
  low bigint := 0;
  high bigint;
  middle bigint;
begin
  select head into high from conversations where bucket = p_bucket and conversation_key = p_key;
  while low < coalesce(high, 0) loop
    middle := (low + high + 1) / 2;
    perform from entries e
    where e.bucket = p_bucket and e.conversation_key = p_key and e.seq = middle
      and (p_id is null or e.id < p_id) and (p_at is null or e.sent_at < p_at);
    if found then low := middle; else high := middle - 1; end if;
  end loop;
  return low;
end
$$;
