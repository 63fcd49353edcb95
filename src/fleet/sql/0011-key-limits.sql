-- A key's own limits are leased as those of an account are. Windows belong to whatever has a row in `account`, by its slot; a key with
-- limits has one too, which never has money.
alter table account add column is_key boolean not null default false;

-- Takes over the limits of a key: those of a `rules` event, whatever was allowed before is replaced. Keys that never had any need no row.
create function limit_key(of_key int, limits jsonb) returns void language plpgsql as $$
begin
  if jsonb_typeof(limits) = 'object' then
    insert into account as a (slot, is_key, is_limited, per_minute, per_hour, per_day)
    values (of_key, true, true, (limits->>'perMinute')::bigint, (limits->>'perHour')::bigint, (limits->>'perDay')::bigint)
    on conflict (slot) do update set is_limited = true, per_minute = excluded.per_minute, per_hour = excluded.per_hour,
      per_day = excluded.per_day;
  else
    update account set is_limited = false, per_minute = null, per_hour = null, per_day = null where slot = of_key and is_key;
  end if;
end $$;

-- As before, and the limits of keys; those also of nodes whose version does not know of them.
create or replace function commit_events(of_node uuid, of_epoch int, after bigint, new_events jsonb, effects jsonb, out of_sequence bigint, out of_time_ms bigint)
language plpgsql as $$
declare
  head fleet;
  present_epoch int := (select epoch from node where id = of_node);
begin
  if present_epoch is distinct from of_epoch then
    raise exception 'epoch % of node % has ended: epoch % is the present one', of_epoch, of_node, present_epoch using errcode = 'PF001';
  end if;
  select * into head from fleet for no key update;
  if head.sequence <> after then
    raise exception 'transaction % is the newest, not %', head.sequence, after using errcode = 'PF002';
  end if;
  of_sequence := head.sequence + 1;
  of_time_ms := greatest(head.time_ms, now_ms());
  perform apply_event(event) from jsonb_array_elements(effects) with ordinality as e (event, place);
  perform limit_key((event->>'key')::int, event->'limits') from jsonb_array_elements(new_events) with ordinality as e (event, place)
  where event->>'kind' = 'rules' order by place;
  insert into event (sequence, time_ms, events) values (of_sequence, of_time_ms, new_events);
  update fleet set sequence = of_sequence, time_ms = of_time_ms;
  perform pg_notify(current_schema(), 'committed ' || of_sequence);
end $$;

create or replace function move_events(moved jsonb) returns void language plpgsql as $$
declare
  head fleet;
begin
  select * into head from fleet;
  perform apply_event(row->1) from jsonb_array_elements(moved) with ordinality as m (row, place) where (row->2)::boolean order by place;
  perform limit_key((row->1->>'key')::int, row->1->'limits') from jsonb_array_elements(moved) with ordinality as m (row, place)
  where row->1->>'kind' = 'rules' order by place;
  insert into event (sequence, time_ms, events)
  select head.sequence + place, (row->>0)::bigint, jsonb_build_array(row->1)
  from jsonb_array_elements(moved) with ordinality as m (row, place);
  update fleet set sequence = head.sequence + jsonb_array_length(moved),
    time_ms = greatest(head.time_ms, (select max((row->>0)::bigint) from jsonb_array_elements(moved) as m (row)));
end $$;

-- The limits that keys have now.
select limit_key(key, limits) from (
  select distinct on (v->>'key') (v->>'key')::int as key, v->'limits' as limits
  from event e, jsonb_array_elements(e.events) with ordinality as v (v, place)
  where v->>'kind' = 'rules' order by v->>'key', e.sequence desc, place desc
) as newest;

create or replace function read_status(live_ms bigint, write_offs_max int) returns json language sql stable as $$
  select (read_status_of_nodes(live_ms, write_offs_max)::jsonb || jsonb_build_object(
    'accounts', (select count(*) from account where not is_key),
    'moved', case when moved_by is not null then jsonb_build_object('timeMs', moved_ms, 'folder', moved_to) end))::json
  from fleet
$$;
