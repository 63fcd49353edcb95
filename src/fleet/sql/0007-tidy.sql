-- Histories need the last days by the hour, and some months by the day. Rows are cumulative, so any of them may go that a later one
-- of the same key follows.

-- The oldest day that is due, and the greatest slot; no row when nothing is due.
create function tidy_due(hourly_days int) returns table (day int, slot_max int) language sql stable as $$
  select d.day, (select max(slot) from api_key)
  from (
    select coalesce((select tidied_day + 1 from fleet), (select min(hour) / 24 from key_hour)) as day
  ) as d
  where d.day < now_ms() / 86400000 - hourly_days
$$;

-- Leaves the last hour of a day to each key of some slots, and nothing of the day that is `daily_days` older where the key was used
-- after it.
create function tidy_part(of_day int, daily_days int, slot_from int, slot_to int) returns void language sql as $$
  delete from key_hour h using (
    select hour, key, lead(hour) over (partition by key order by hour) as later from key_hour
    where hour = any (array(select generate_series(of_day * 24, of_day * 24 + 23))) and key between slot_from and slot_to
  ) as hours where hours.later is not null and h.hour = hours.hour and h.key = hours.key;

  delete from key_hour h using key_usage u
  where h.hour = any (array(select generate_series((of_day - daily_days) * 24, (of_day - daily_days) * 24 + 23)))
    and h.key between slot_from and slot_to and u.key = h.key and u.queries <> h.queries
$$;

create function tidied(of_day int) returns void language sql as
$$ update fleet set tidied_day = greatest(tidied_day, of_day) $$;
