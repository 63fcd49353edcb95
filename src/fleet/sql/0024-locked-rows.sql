-- A transaction of somebody else (an operator's session, a report) may hold the rows of one account for as long as it likes. An exchange
-- waits for it a moment; then it leaves that account out, and all others have what they need.

-- Locks the accounts of `slots` with what an exchange changes of them, and returns those of which somebody else holds a row. Never waits.
create function lock_or_leave(of_node uuid, slots int[], keys int[]) returns int[] language plpgsql as $$
declare
  locked int[];
  locked_rows int[];
  left_out int[];
begin
  locked := array(select slot from account where slot = any (slots) order by slot for no key update skip locked);
  left_out := array(select slot from account where slot = any (slots) and slot <> all (locked));
  locked_rows := array(select account from lease where account = any (locked) and node = of_node order by account for no key update skip locked);
  left_out := left_out || array(
    select account from lease where account = any (locked) and node = of_node and account <> all (locked_rows));
  locked_rows := array(select account from rate_window where account = any (locked) order by account for no key update skip locked);
  left_out := left_out || array(select account from rate_window where account = any (locked) and account <> all (locked_rows));
  locked_rows := array(select slot from api_key where slot = any (keys) and account = any (locked) order by slot for no key update skip locked);
  left_out := left_out || array(
    select distinct account from api_key where slot = any (keys) and account = any (locked) and slot <> all (locked_rows));
  keys := locked_rows;
  locked_rows := array(select key from key_usage where key = any (keys) order by key for no key update skip locked);
  left_out := left_out || array(
    select distinct k.account from key_usage u join api_key k on k.slot = u.key where u.key = any (keys) and u.key <> all (locked_rows));
  return array(select distinct slot from unnest(left_out) as l (slot) order by slot);
end $$;

-- As before, with `lock_ms`: how long to wait for a row. 0: not at all; what is reported, returned or wanted of accounts whose rows are
-- held is left out and comes back in `left`, to be sent again. A wait that is too long is refused as 55P03, and nothing has changed.
create function exchange(of_node uuid, of_epoch int, of_number bigint, price bigint, live_ms bigint, reports jsonb, admitted jsonb,
  returns jsonb, wants jsonb, lock_ms int) returns json language plpgsql as $$
declare
  -- Waits for an earlier attempt at the same exchange.
  me node := enter(of_node, of_epoch);
  present_ms bigint := now_ms();
  keys int[];
  slots int[];
  left_out int[] := '{}';
  live_nodes int;
  turn_wants jsonb;
  shares jsonb := '[]';
  recalls jsonb;
  result json;
begin
  if of_number = me.exchange_number then
    -- The node counts its deadline from this answer.
    update node set seen_ms = present_ms where id = of_node;
    return me.answer;
  end if;
  if not me.is_settled then
    raise exception 'node % has not settled its earlier epochs', of_node using errcode = 'PF003';
  elsif of_number <> me.exchange_number + 1 then
    raise exception 'exchange % of node % follows exchange %', of_number, of_node, me.exchange_number using errcode = 'PF003';
  end if;

  keys := array(
    select key from jsonb_to_recordset(reports || wants) as r (key int) where key is not null
    union select c.key from jsonb_to_recordset(returns) as r (caps jsonb), jsonb_to_recordset(r.caps) as c (key int));
  slots := array(
    select account from jsonb_to_recordset(admitted || returns || wants) as r (account int)
    union select account from api_key where slot = any (keys));
  if slots <> '{}' and lock_ms > 0 then
    perform set_config('lock_timeout', lock_ms::text, true);
    perform lock_accounts(slots);
  elsif slots <> '{}' then
    left_out := lock_or_leave(of_node, slots, keys);
  end if;
  if left_out <> '{}' then
    keys := array(select slot from api_key where slot = any (keys) and account <> all (left_out));
    slots := array(select slot from unnest(slots) as s (slot) where slot <> all (left_out));
    reports := coalesce((select jsonb_agg(r) from jsonb_array_elements(reports) as r
      where not exists (select from api_key where slot = (r->>'key')::int and account = any (left_out))), '[]');
    admitted := coalesce((select jsonb_agg(r) from jsonb_array_elements(admitted) as r where (r->>'account')::int <> all (left_out)), '[]');
    returns := coalesce((select jsonb_agg(r) from jsonb_array_elements(returns) as r where (r->>'account')::int <> all (left_out)), '[]');
    wants := coalesce((select jsonb_agg(r) from jsonb_array_elements(wants) as r where (r->>'account')::int <> all (left_out)), '[]');
  end if;
  if slots <> '{}' then perform roll_months(keys, present_ms); end if;

  if reports <> '[]' then perform book_reports(of_node, price, present_ms, reports); end if;
  if admitted <> '[]' then
    update window_hold h set held = greatest(h.held - a.queries, 0)
    from (select account, sum(queries)::bigint as queries from jsonb_to_recordset(admitted) as r (account int, queries bigint)
          group by account) as a
    where h.account = a.account and h.node = of_node;
  end if;
  if returns <> '[]' then perform take_returns(of_node, returns); end if;

  if wants <> '[]' then
    perform roll_windows(slots, present_ms);
    select greatest(count(*), 1) into live_nodes from node where seen_ms > present_ms - live_ms or id = of_node;
    -- Wants of the same account, for several keys, come one after another; nearly always there is one turn.
    for turn_wants in
      select jsonb_agg(want order by place) from (
        select want, place, row_number() over (partition by want->'account' order by place) as turn
        from jsonb_array_elements(wants) with ordinality as w (want, place)
      ) as turns group by turn order by turn
    loop
      shares := shares || grant_wants(of_node, price, present_ms, live_nodes, turn_wants);
    end loop;
  end if;

  with taken as (delete from recall where node = of_node returning account)
  select coalesce(jsonb_agg(account order by account), '[]') into recalls from taken;
  -- Accounts that were touched and not wanted.
  if reports <> '[]' or admitted <> '[]' or returns <> '[]' then
    shares := shares || coalesce((
      select jsonb_agg(jsonb_build_array(a.slot, 0, a.credited - a.spent - coalesce(l.granted - l.used, 0),
        a.leased > coalesce(l.granted - l.used, 0), null, null) order by a.slot)
      from account a left join lease l on l.account = a.slot and l.node = of_node
      where a.slot = any (slots) and not exists (
        select from jsonb_to_recordset(wants) as w (account int) where w.account = a.slot)
    ), '[]');
  end if;
  result := json_build_object('shares', shares, 'recalls', recalls, 'left', array_to_json(left_out), 'sequence', (select sequence from fleet));
  update node set exchange_number = of_number, answer = result, seen_ms = present_ms where id = of_node;
  return result;
end $$;

-- As the exchange before it: planned once by each connection.
alter function exchange(uuid, int, bigint, bigint, bigint, jsonb, jsonb, jsonb, jsonb, int) set plan_cache_mode = force_generic_plan;
alter function exchange(uuid, int, bigint, bigint, bigint, jsonb, jsonb, jsonb, jsonb, int) set enable_seqscan = off;

-- As before, and a row that somebody holds stops one command, not all those that wait for the head of the transactions.
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
  perform set_config('lock_timeout', '250ms', true);
  perform apply_event(event) from jsonb_array_elements(effects) with ordinality as e (event, place);
  perform limit_key((event->>'key')::int, event->'limits') from jsonb_array_elements(new_events) with ordinality as e (event, place)
  where event->>'kind' = 'rules' order by place;
  insert into event (sequence, time_ms, events) values (of_sequence, of_time_ms, new_events);
  update fleet set sequence = of_sequence, time_ms = of_time_ms;
  perform pg_notify(current_schema(), 'committed ' || of_sequence);
end $$;

-- What waits for all accounts of a node says sooner that it waits in vain, and why.
alter function recall_account set lock_timeout = '1s';
alter function settle_counts set lock_timeout = '3s';
alter function cover_counts set lock_timeout = '3s';
alter function settle_leases set lock_timeout = '3s';
alter function write_off_node set lock_timeout = '3s';
