-- Nodes that are gone: their counts, key by key, are added up in rows of no node, so that these do not grow with every node that there
-- ever was. And a fleet that was moved away says so.

-- True once the counts of a node have been added to those of no node, until it begins again and settles what its journal has. None of
-- that is booked: it had been reported before, or its leases were given up.
alter table node add column is_folded boolean not null default false;

-- One part of that. True when nothing is left.
create function fold_usage(of_node uuid, keys_max int) returns boolean language plpgsql as $$
declare
  keys int[] := array(select key from node_usage where node = of_node order by key limit keys_max);
begin
  update node set is_folded = true where id = of_node and not is_folded;
  with gone as (
    delete from node_usage where node = of_node and key = any (keys) returning key, queries
  )
  insert into node_usage as u (node, key, queries)
  select '00000000-0000-0000-0000-000000000000', key, queries from gone order by key
  on conflict (node, key) do update set queries = counts_plus(u.queries, excluded.queries);
  return cardinality(keys) = 0;
end $$;

-- A node that has settled and will not serve again. True when nothing is left.
create function retire_node(of_node uuid, of_epoch int, keys_max int) returns boolean language plpgsql as $$
declare
  me node := enter(of_node, of_epoch);
begin
  if not me.is_settled then
    raise exception 'node % has not settled its earlier epochs', of_node using errcode = 'PF003';
  end if;
  return fold_usage(of_node, keys_max);
end $$;

-- As before; the counts of a node that was folded are known.
create or replace function settle_counts(of_node uuid, of_epoch int, price bigint, counts jsonb) returns json language plpgsql as $$
declare
  me node := enter(of_node, of_epoch);
  keys int[] := array(select key from jsonb_to_recordset(counts) as c (key int));
begin
  if me.is_written_off or me.is_folded then
    insert into node_usage as u (node, key, queries)
    select of_node, c.key, counts_greatest(c.queries, null) from jsonb_to_recordset(counts) as c (key int, queries bigint[])
    on conflict (node, key) do update set queries = counts_greatest(u.queries, excluded.queries);
  else
    perform lock_accounts(array(select account from api_key where slot = any (keys)));
    perform roll_months(keys, now_ms());
    perform book_reports(of_node, price, now_ms(), counts);
  end if;
  return (
    select coalesce(json_agg(json_build_object('key', u.key, 'queries', u.queries) order by u.key), '[]')
    from jsonb_to_recordset(counts) as c (key int, queries bigint[])
    join node_usage u on u.node = of_node and u.key = c.key
    where u.queries <> counts_greatest(c.queries, null)
  );
end $$;
alter function settle_counts set plan_cache_mode = force_generic_plan;
alter function settle_counts set enable_seqscan = off;

create or replace function settle_leases(of_node uuid, of_epoch int, part_max int) returns boolean language plpgsql as $$
declare
  me node := enter(of_node, of_epoch);
begin
  -- A node that comes back while its leases are being given up ends that, with the same entries.
  if not release_leases(of_node, part_max, me.is_written_off, of_epoch - 1) or not release_caps(of_node, part_max) then return false; end if;
  update node set is_settled = true, is_written_off = false, is_folded = false, seen_ms = now_ms() where id = of_node;
  return true;
end $$;

create or replace function write_off_node(of_node uuid, silent_ms bigint, part_max int) returns boolean language plpgsql as $$
declare
  me node;
begin
  select * into me from node where id = of_node for no key update;
  if me.id is null then
    raise exception 'node % is not known', of_node using errcode = 'PF003';
  elsif not me.is_written_off then
    if now_ms() - me.seen_ms < silent_ms then
      raise exception 'node % was heard of % s ago; its leases may be given up after % s of silence: until then it may still charge',
        of_node, (now_ms() - me.seen_ms) / 1000, silent_ms / 1000 using errcode = 'PF003';
    end if;
    update node set epoch = epoch + 1, is_settled = false, is_written_off = true, answer = null, exchange_number = 0
    where id = of_node;
    delete from recall where node = of_node;
    delete from window_hold where node = of_node;
  end if;
  if not release_leases(of_node, part_max, true, me.epoch - me.is_written_off::int) or not release_caps(of_node, part_max) then
    return false;
  end if;
  return fold_usage(of_node, part_max);
end $$;

-- As before, and where the accounts were moved to.
alter function read_status(bigint, int) rename to read_status_of_nodes;
create function read_status(live_ms bigint, write_offs_max int) returns json language sql stable as $$
  select (read_status_of_nodes(live_ms, write_offs_max)::jsonb || jsonb_build_object('moved',
    case when moved_by is not null then jsonb_build_object('timeMs', moved_ms, 'folder', moved_to) end))::json
  from fleet
$$;
