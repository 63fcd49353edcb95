-- One exchange in one transaction: reports, taken parts, wants, and the answer, as in `messages.ts`.

-- Counts windows that silent nodes lease as used. Else no refusal would be final while such a node is away.
create function expire_windows(holders int[], seen_since_ms bigint) returns void language plpgsql as $$
begin
  with ended as (
    delete from lease l using node n where l.holder = any (holders) and l.kind >= 2 and n.id = l.node and n.seen_ms < seen_since_ms
    returning l.holder, l.kind, l.period, l.amount
  ), sums as (
    select holder, kind, period, total(amount) as amount from ended group by holder, kind, period
  )
  update counter c set used = c.used + s.amount, leased = c.leased - s.amount
  from sums s where c.holder = s.holder and c.kind = s.kind and c.period = s.period;
end $$;

-- Grants wants. The needs of a request are granted together or not at all: two nodes with half of it each
-- would wait for each other. Then other waiting requests get what there is. Ahead of need, a node gets at
-- most its part of half of the rest. Recalls the leases of other nodes if their returns would be enough.
create function grant_wants(of_node uuid, price bigint, present_ms bigint, live_nodes int, wants jsonb) returns jsonb language plpgsql as $$
declare
  granted_rows jsonb;
  recalled_slots int[];
begin
  with want as materialized (
    select w.account, w.holder, w.kind, w.others, w.ahead, c.period, u.unit, whole(w.needed + u.unit - 1, u.unit) as needed,
      -- While a debit recalls this account, nothing is granted: what nodes return stays free for the debit.
      case when w.kind = 0 and h.recall_until_ms > present_ms then 0 else c.most - c.used - c.leased end as free,
      c.leased - coalesce(l.amount, 0) as leased_elsewhere
    from jsonb_to_recordset(wants) as w (account int, holder int, kind int, needed bigint, others bigint, ahead bigint)
    join holder h on h.slot = w.account
    join counter c on c.holder = w.holder and c.kind = w.kind and c.most is not null
    cross join lateral (select case when w.kind < 2 then price else 1 end as unit) as u
    left join lease l on l.holder = w.holder and l.kind = w.kind and l.node = of_node and l.period = c.period
  ), unmet as materialized (
    select * from want where needed > 0 and needed > free
  ), decided as materialized (
    select w.*, case when exists (select from unmet u where u.account = w.account) then 0
      else for_waiting + least(whole(ahead, unit), whole(greatest(free - for_waiting, 0) / 2 / live_nodes, unit)) end as granted
    from want w cross join lateral (select needed + least(whole(others, unit), whole(greatest(free - needed, 0), unit)) as for_waiting) as m
  ), counters as (
    update counter c set leased = c.leased + d.granted from decided d where c.holder = d.holder and c.kind = d.kind and d.granted > 0
  ), leases as (
    insert into lease as l (holder, kind, node, period, amount) select holder, kind, of_node, period, granted from decided where granted > 0
    on conflict (holder, kind, node) do update set
      amount = case when l.period = excluded.period then l.amount else 0 end + excluded.amount, period = excluded.period
  ), recalled as (
    insert into recall (node, account)
    select distinct l.node, u.account from unmet u
    join lease l on l.holder = u.holder and l.kind = u.kind and l.period = u.period and l.node <> of_node and l.amount > 0
    where u.needed <= u.free + u.leased_elsewhere
    on conflict do nothing returning account
  )
  select (select coalesce(jsonb_agg(jsonb_build_object('holder', holder, 'kind', kind, 'granted', granted)), '[]') from decided),
    (select array_agg(distinct account) from recalled)
  into granted_rows, recalled_slots;
  if recalled_slots is not null then perform notify_recalls(recalled_slots); end if;
  return granted_rows;
end $$;

-- A wait of more than `lock_ms` for a row is refused as 55P03, and nothing changes. Planning costs more than
-- running, so each connection plans once, by keys. Otherwise a plan for empty tables would stay until
-- they are analyzed.
create function exchange(of_node uuid, of_epoch int, of_number bigint, price bigint, live_ms bigint, reports jsonb, taken jsonb,
  wants jsonb, lock_ms int) returns json language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  -- Waits for an earlier attempt at the same exchange.
  me node := enter(of_node, of_epoch);
  present_ms bigint := now_ms();
  holders int[];
  live_nodes int;
  granted jsonb := '[]';
  grants json;
  recalls json;
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

  holders := array(
    select key from jsonb_to_recordset(reports) as r (key int)
    union select holder from jsonb_to_recordset(taken || wants) as r (holder int));
  if holders <> '{}' then
    holders := array(select slot from holder where slot = any (holders) union select account from holder where slot = any (holders));
    perform set_config('lock_timeout', lock_ms::text, true);
    perform lock_accounts(holders);
    perform begin_periods(holders, present_ms);
  end if;
  if reports <> '[]' then taken := taken || report(of_node, price, present_ms, reports); end if;
  if taken <> '[]' then perform take_back(of_node, taken); end if;
  if wants <> '[]' then
    perform expire_windows(holders, present_ms - live_ms);
    select greatest(count(*), 1) into live_nodes from node where seen_ms > present_ms - live_ms or id = of_node;
    granted := grant_wants(of_node, price, present_ms, live_nodes, wants);
  end if;

  select coalesce(json_agg(json_build_object('holder', c.holder, 'kind', c.kind, 'granted', coalesce(g.granted, 0),
    'elsewhere', c.most - c.used - coalesce(l.amount, 0), 'validMs', period_end_ms(c.kind, c.period) - present_ms)), '[]')
  into grants
  from counter c
  left join lease l on l.holder = c.holder and l.kind = c.kind and l.node = of_node and l.period = c.period
  left join jsonb_to_recordset(granted) as g (holder int, kind int, granted bigint) on g.holder = c.holder and g.kind = c.kind
  where c.holder = any (holders) and c.most is not null;
  with gone as (delete from recall where node = of_node returning account)
  select coalesce(json_agg(account order by account), '[]') into recalls from gone;
  result := json_build_object('grants', grants, 'recalls', recalls, 'sequence', (select sequence from fleet));
  update node set exchange_number = of_number, answer = result, seen_ms = present_ms where id = of_node;
  return result;
end $$;
