-- From here on, ids of new entries are larger than this one, which an entry brings from elsewhere. The
-- sequence is moved further than needed, so that it is moved rarely, and so that ids that others draw
-- meanwhile are not drawn again: a sequence cannot be compared and moved in one step.
create or replace function reserve_ids(p_id bigint)
returns void
language plpgsql
as $$
declare
  drawn bigint;
begin
  select last_value into drawn from entry_numbers;
  if drawn > p_id / 64 then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('entry_numbers', 0));
  select last_value into drawn from entry_numbers;
  if drawn <= p_id / 64 then
    perform setval('entry_numbers', p_id / 64 + 1000000);
  end if;
end
$$;
