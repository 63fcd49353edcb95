-- What operators are shown.
create function read_status(live_ms bigint, write_offs_max int) returns json language sql stable as $$
  with held as (
    select node, count(*) filter (where granted > used) as leases, sum(granted - used) as micros from lease group by node
  ), nodes as (
    select n.*, f.sequence, greatest(now_ms() - n.seen_ms, 0) as silent_ms, coalesce(h.leases, 0) as leases, coalesce(h.micros, 0) as held
    from node n cross join fleet f left join held h on h.node = n.id
  ), shown as (
    select * from write_off order by id desc limit write_offs_max
  )
  select json_build_object(
    'fleet', (select id from fleet),
    'sequence', (select sequence from fleet),
    'accounts', (select count(*) from account),
    'keys', (select count(*) from api_key),
    'leasedMicros', (select coalesce(sum(leased), 0) from account),
    'nodes', (select coalesce(json_agg(json_build_object(
      'node', id, 'epoch', epoch, 'isSettled', is_settled, 'isWrittenOff', is_written_off, 'silentMs', silent_ms,
      'isSilent', silent_ms > live_ms, 'lag', greatest(sequence - applied, 0), 'leases', leases, 'heldMicros', held,
      'address', address, 'version', version, 'indexBuild', index_build) order by id), '[]') from nodes),
    'write_offs', (select coalesce(json_agg(json_build_object(
      'node', node, 'epoch', epoch, 'account', account, 'micros', micros, 'timeMs', time_ms) order by id desc), '[]') from shown)
  )
$$;
