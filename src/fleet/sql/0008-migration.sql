-- Moving all accounts between one node's ledger and a fleet. Each direction is one transaction, which holds the lock of the fleet.

-- The move that has filled this fleet, and the one that has taken everything to a ledger: nodes do not start after that.
alter table fleet add column filled_by uuid, add column moved_by uuid, add column moved_ms bigint, add column moved_to text;

-- As before, for a fleet that has not been moved. It waits for a move in progress, and not for commits.
create or replace function begin_node(of_node uuid, of_address text, of_version text, of_index_build text, out of_epoch int,
  out of_fleet uuid, out of_sequence bigint) language plpgsql as $$
declare
  head fleet;
begin
  select * into head from fleet for key share;
  if head.moved_by is not null then
    raise exception 'the accounts of this fleet were moved to the ledger in % at %. Start one node there, without ACCOUNTS. To have a fleet again, run `postrie migrate ledger-to-postgres` there, with an ACCOUNTS whose schema is empty',
      head.moved_to, to_char(to_timestamp(head.moved_ms / 1000) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') using errcode = 'PF003';
  end if;
  insert into node as n (id, seen_ms, address, version, index_build)
  values (of_node, now_ms(), of_address, of_version, of_index_build)
  on conflict (id) do update set epoch = n.epoch + 1, is_settled = false, seen_ms = excluded.seen_ms, exchange_number = 0,
    answer = null, address = excluded.address, version = excluded.version, index_build = excluded.index_build
  returning epoch into of_epoch;
  delete from recall where node = of_node;
  -- What it held for the present minute has been counted as used, and dies with its epoch.
  delete from window_hold where node = of_node;
  of_fleet := head.id;
  select sequence into of_sequence from fleet;
end $$;

-- Locks the fleet until the end of the transaction, and fences all nodes: none can change anything until then, and if the transaction
-- commits, none ever. Returns what decides whether a move may begin. `nodes` are those that were heard of lately or hold something.
create function begin_move(live_ms bigint) returns json language plpgsql as $$
declare
  head fleet;
begin
  select * into head from fleet for update;
  update node set epoch = epoch + 1;
  return json_build_object(
    'fleet', head.id, 'sequence', head.sequence, 'filledBy', head.filled_by, 'movedBy', head.moved_by, 'movedMs', head.moved_ms,
    'movedTo', head.moved_to, 'accounts', (select count(*) from account),
    'nodes', (
      select coalesce(json_agg(json_build_object('node', n.id, 'address', n.address, 'silentMs', greatest(now_ms() - n.seen_ms, 0),
        'heldMicros', n.held) order by n.id), '[]')
      from (
        select id, address, seen_ms, (select coalesce(sum(granted - used), 0) from lease where node = id) as held from node
      ) as n where n.held > 0 or now_ms() - n.seen_ms < live_ms
    )
  );
end $$;

-- Appends transactions of one event each, `[[time, event, whether apply_event knows it]]`, to a fleet that begin_move has locked.
create function move_events(moved jsonb) returns void language plpgsql as $$
declare
  head fleet;
begin
  select * into head from fleet;
  perform apply_event(row->1) from jsonb_array_elements(moved) with ordinality as m (row, place) where (row->2)::boolean order by place;
  insert into event (sequence, time_ms, events)
  select head.sequence + place, (row->>0)::bigint, jsonb_build_array(row->1)
  from jsonb_array_elements(moved) with ordinality as m (row, place);
  update fleet set sequence = head.sequence + jsonb_array_length(moved),
    time_ms = greatest(head.time_ms, (select max((row->>0)::bigint) from jsonb_array_elements(moved) as m (row)));
end $$;

-- Books all that keys have ever used, `[{"key", "queries", "month", "micros"}]` with the spend of their last month, and their histories,
-- `[{"hour", "key", "queries"}]`. It belongs to no node.
-- The texts are json: jsonb would be made into a tree before it is read.
create function move_usage(price bigint, counts json, hours json) returns void language plpgsql as $$
begin
  insert into key_usage (key, queries, changed_by)
  select key, queries, pg_current_xact_id() from json_to_recordset(counts) as c (key int, queries bigint[]);
  insert into key_hour (hour, key, queries)
  select hour, key, queries from json_to_recordset(hours) as h (hour int, key int, queries bigint[]);
  update api_key k set month = c.month, month_spent = c.micros
  from json_to_recordset(counts) as c (key int, month int, micros bigint) where k.slot = c.key;
  update account a set spent = a.spent + s.micros from (
    select k.account, sum(counts_sum(c.queries) * price)::bigint as micros
    from json_to_recordset(counts) as c (key int, queries bigint[]) join api_key k on k.slot = c.key group by k.account
  ) as s where a.slot = s.account;
end $$;

-- The end of a move from a ledger: running nodes look for what has changed.
create function end_move_in(of_move uuid) returns void language plpgsql as $$
begin
  update fleet set filled_by = of_move;
  perform pg_notify(current_schema(), 'committed ' || (select sequence from fleet));
end $$;

create function end_move_out(of_move uuid, folder text) returns void language sql as
$$ update fleet set moved_by = of_move, moved_ms = now_ms(), moved_to = folder $$;
