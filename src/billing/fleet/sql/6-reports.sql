-- Scans all leases and accounts, so it is not for every request.
create function read_status(live_ms bigint, write_offs_max int) returns json language sql stable as $$
  with leased as (
    select node, count(*) filter (where amount > 0) as leases, total(amount) as micros from lease where kind = 0 group by node
  ), nodes as (
    select n.*, f.sequence, greatest(now_ms() - n.seen_ms, 0) as silent_ms, coalesce(l.leases, 0) as leases, coalesce(l.micros, 0) as micros
    from node n cross join fleet f left join leased l on l.node = n.id
  ), shown as (
    select w.*, a.id as account_id from write_off w join holder a on a.slot = w.account order by w.id desc limit write_offs_max
  )
  select json_build_object(
    'fleet', id,
    'sequence', sequence,
    'accounts', (select count(*) from holder where slot = account),
    'keys', (select count(*) from holder where slot <> account),
    'leasedMicros', (select total(micros) from leased),
    'inDoubtMicros', (select total(micros) from nodes where silent_ms > live_ms),
    'dashboard', dashboard_node,
    'nodes', (select coalesce(json_agg(json_build_object(
      'node', n.id, 'epoch', epoch, 'isSettled', is_settled, 'isWrittenOff', is_written_off, 'isGone', is_gone,
      'silentMs', silent_ms, 'isSilent', silent_ms > live_ms, 'lag', greatest(n.sequence - applied, 0), 'leases', leases,
      'heldMicros', micros, 'address', address, 'version', version, 'indexBuild', index_build) order by n.id), '[]') from nodes n),
    'writeOffs', (select coalesce(json_agg(json_build_object(
      'node', node, 'epoch', epoch, 'account', account_id, 'micros', micros, 'timeMs', time_ms) order by s.id desc), '[]') from shown s)
  ) from fleet
$$;

-- State for alerts. Scans the nodes, and the leases of silent nodes. Any node may ask every few seconds.
create function read_health(live_ms bigint) returns json language sql stable as $$
  with silent as (
    select total(l.amount) as micros from node n join lease l on l.node = n.id and l.kind = 0 and l.amount > 0
    where now_ms() - n.seen_ms > live_ms group by n.id
  )
  select json_build_object(
    'silentNodes', (select count(*) from silent),
    'inDoubtMicros', (select total(micros) from silent),
    'isDashboardLive', exists (select from fleet f join node n on n.id = f.dashboard_node where now_ms() - n.seen_ms <= live_ms))
$$;

-- Takes `[[key, value]]`. A null value deletes the row. Only the node with the dashboard changes its rows:
-- one that slept through a move of the dashboard must not restore old ones.
create function write_dashboard_rows(of_node uuid, of_epoch int, of_name text, changes json) returns void language plpgsql as $$
declare
  present uuid;
begin
  select dashboard_node into present from fleet for share;
  if present is distinct from of_node or not exists (select from node where id = of_node and epoch = of_epoch) then
    raise exception 'node % has the dashboard now, and an earlier start of node % has had it: start that one again', present, of_node
      using errcode = 'PF001';
  end if;
  delete from dashboard_row d using json_array_elements(changes) as c (pair)
  where d.name = of_name and d.key = c.pair->>0 and c.pair->>1 is null;
  insert into dashboard_row (name, key, value)
  select of_name, pair->>0, pair->>1 from json_array_elements(changes) as c (pair) where pair->>1 is not null order by 2
  on conflict (name, key) do update set value = excluded.value;
end $$;

-- Adds lines of the audit log under a lock: visible in the order of their numbers, so no reader misses one.
create function add_audit(of_node uuid, lines text[]) returns void language plpgsql as $$
begin
  lock table audit in share row exclusive mode;
  insert into audit (node, time_ms, line) select of_node, now_ms(), line from unnest(lines) with ordinality as l (line, place) order by place;
end $$;
