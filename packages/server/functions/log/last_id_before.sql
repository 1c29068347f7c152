-- About the last entry of an app before a time: across conversations ids and times agree only
-- roughly, so whoever asks leaves some room.
create or replace function last_id_before(p_app_id text, p_at bigint)
returns bigint
language plpgsql
stable
as $$
declare
  low bigint := 0;
  high bigint;
  middle bigint;
  middle_at bigint;
begin
  select e.id into high from entries e where e.app_id = p_app_id order by e.id desc limit 1;
  while low < coalesce(high, 0) loop
    middle := (low + high + 1) / 2;
    select e.sent_at into middle_at from entries e
    where e.app_id = p_app_id and e.id >= middle order by e.id limit 1;
    if middle_at < p_at then low := middle; else high := middle - 1; end if;
  end loop;
  return low;
end
$$;
