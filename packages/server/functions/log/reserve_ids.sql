-- From here on, ids of new entries are larger than this one, which an entry brings from elsewhere. The
-- sequence stays far ahead of it: what a transaction has drawn and not yet committed is never an id that is
-- brought in the same moment, and what was committed is found. A sequence cannot be compared and moved in
-- one step, so it is moved further than needed, and rarely.
create or replace function reserve_ids(p_id bigint)
returns void
language plpgsql
as $$
declare
  drawn bigint;
begin
  select last_value into drawn from entry_numbers;
  if drawn > p_id / 64 + 500000 then
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('entry_numbers', 0));
  select last_value into drawn from entry_numbers;
  if drawn <= p_id / 64 + 500000 then
    perform setval('entry_numbers', p_id / 64 + 1000000);
  end if;
end
$$;
