-- Begins an epoch behind this one and behind `p_after`; returns its number. With `p_mark`, only if
-- that number was not reached: of several processes that notice it, one begins.
create or replace function begin_epoch(p_after bigint, p_mark bigint) returns bigint
language plpgsql
as $$
declare
  reached bigint;
  epoch bigint;
  sequence regclass;
begin
  perform pg_advisory_xact_lock(hashtextextended('begin epoch', 0));
  select last_value into reached from restore_marks;
  if p_mark <= reached then
    return reached >> 36;
  end if;
  epoch := greatest(reached >> 36, p_after) + 1;
  -- The public id of an entry, n * 64 + bucket, stays below 2^53.
  if epoch >= 2048 then
    raise exception 'There are no epochs left.';
  end if;
  for sequence in
    select s.seqrelid from pg_sequence s join pg_class c on c.oid = s.seqrelid
    where c.relnamespace = current_schema()::regnamespace and s.seqtypid = 'bigint'::regtype
  loop
    perform setval(sequence, epoch << 36);
  end loop;
  return epoch;
end
$$;
