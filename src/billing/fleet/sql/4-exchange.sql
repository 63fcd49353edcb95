-- One exchange of a node in one transaction: reports, returns, wants, and the answer. Rows are JSON, of the types in `messages.ts`.

-- Takes back returned leases. More than the lease is a fault. Caps and admissions may have ended meanwhile.
create function take_returns(of_node uuid, returns jsonb) returns void language plpgsql as $$
declare
  expected bigint;
  taken bigint;
begin
  with returned as materialized (
    select account, total(micros) as micros
    from jsonb_to_recordset(returns) as r (account int, micros bigint) where micros <> 0 group by account
  ), leases as (
    update lease l set micros = l.micros - r.micros
    from returned r where l.account = r.account and l.node = of_node and r.micros between 0 and l.micros
    returning l.account, r.micros
  ), accounts as (
    update account a set leased = a.leased - l.micros from leases l where a.slot = l.account
  )
  select (select count(*) from returned), (select count(*) from leases) into expected, taken;
  if taken <> expected then
    raise exception 'node % returns more than it holds of % accounts', of_node, expected - taken using errcode = 'PF003';
  end if;

  with returned as materialized (
    select c.key, least(total(c.micros), max(l.micros)) as micros
    from jsonb_to_recordset(returns) as r (caps jsonb), jsonb_to_recordset(r.caps) as c (key int, micros bigint)
    join api_key k on k.slot = c.key
    join cap_lease l on l.key = c.key and l.node = of_node and l.month = k.month
    where c.micros > 0 group by c.key
  ), leases as (
    update cap_lease l set micros = l.micros - r.micros from returned r where l.key = r.key and l.node = of_node
  )
  update api_key k set month_leased = k.month_leased - r.micros from returned r where k.slot = r.key;

  with returned as materialized (
    select l.account, l.minute, least(total(r.admissions), max(l.unused)) as queries
    from jsonb_to_recordset(returns) as r (account int, admissions bigint)
    join window_lease l on l.account = r.account and l.node = of_node
    where r.admissions > 0 group by l.account, l.minute
  ), leases as (
    update window_lease l set unused = l.unused - r.queries from returned r where l.account = r.account and l.node = of_node
  )
  -- They were counted in their windows, and come off the windows that have not ended.
  update rate_window w set
    in_minute = w.in_minute - case when w.minute = r.minute then r.queries else 0 end,
    in_hour = w.in_hour - case when w.hour = r.minute / 60 then r.queries else 0 end,
    in_day = w.in_day - case when w.day = r.minute / 1440 then r.queries else 0 end
  from returned r where w.account = r.account;
end $$;

-- Moves the windows of limited accounts to the present minute, hour and day. Future windows of a clock that was ahead stay.
create function roll_windows(slots int[], present_ms bigint) returns void language plpgsql as $$
begin
  insert into rate_window as w (account, minute, hour, day, in_minute, in_hour, in_day)
  select slot, present_ms / 60000, present_ms / 3600000, present_ms / 86400000, 0, 0, 0
  from account where slot = any (slots) and is_limited
  on conflict (account) do update set
    in_minute = case when w.minute < excluded.minute then 0 else w.in_minute end,
    in_hour = case when w.hour < excluded.hour then 0 else w.in_hour end,
    in_day = case when w.day < excluded.day then 0 else w.in_day end,
    minute = greatest(w.minute, excluded.minute),
    hour = greatest(w.hour, excluded.hour),
    day = greatest(w.day, excluded.day)
  where w.minute < excluded.minute;
end $$;

-- Grants wants, at most one of each account, and returns the shares. A need is granted as a whole or not at all: two nodes with
-- half of it each would wait for each other. Ahead of need, a node gets at most its part of half of the rest.
create function grant_wants(of_node uuid, price bigint, present_ms bigint, live_nodes int, wants jsonb) returns jsonb
language plpgsql as $$
declare
  shares jsonb;
  recalled_slots int[];
begin
  with want as materialized (
    select w.account, w.key, w."neededAdmissions" as needed_admissions, w."aheadAdmissions" as ahead_admissions,
      whole(w."neededMicros" + price - 1, price) as needed, whole(w."aheadMicros", price) as ahead,
      a.credited - a.spent as balance, a.leased,
      case when a.recall_until_ms > present_ms then 0 else a.credited - a.spent - a.leased end as free,
      coalesce(l.micros, 0) as leased_here,
      case when k.cap is not null then greatest(k.cap - k.month_spent, 0) end as cap_left,
      case when k.cap is not null then greatest(k.cap - k.month_spent - k.month_leased, 0) end as cap_free,
      k.month, k.month_leased, coalesce(cl.micros, 0) as cap_leased_here,
      a.is_limited and w."neededAdmissions" + w."aheadAdmissions" > 0 as is_admission,
      r.minute, r.in_minute, r.in_hour, r.in_day,
      -- Admissions left now; null without a limit.
      least(a.per_minute - r.in_minute, a.per_hour - r.in_hour, a.per_day - r.in_day) as admissible,
      case when r.in_minute + w."neededAdmissions" > a.per_minute then 60000 - present_ms % 60000 else 0 end as minute_wait,
      case when r.in_hour + w."neededAdmissions" > a.per_hour then 3600000 - present_ms % 3600000 else 0 end as hour_wait,
      case when r.in_day + w."neededAdmissions" > a.per_day then 86400000 - present_ms % 86400000 else 0 end as day_wait,
      (select total(t.unused) from window_lease t
       where a.is_limited and t.account = a.slot and t.node <> of_node and t.minute = r.minute) as unused_elsewhere,
      (select total(t.unused) from window_lease t
       where a.is_limited and t.account = a.slot and t.node = of_node and t.minute = r.minute) as unused_here
    from jsonb_to_recordset(wants) as w
      (account int, key int, "neededMicros" bigint, "aheadMicros" bigint, "neededAdmissions" bigint, "aheadAdmissions" bigint)
    join account a on a.slot = w.account
    left join lease l on l.account = w.account and l.node = of_node
    left join api_key k on k.slot = w.key
    left join cap_lease cl on cl.key = w.key and cl.node = of_node and cl.month = k.month
    left join rate_window r on r.account = w.account
  ), decided as materialized (
    select *,
      case when needed > free or needed > cap_free then 0
        else needed + least(ahead, whole((free - needed) / 2 / live_nodes, price)) end as granted,
      case when cap_free is null then null when needed > free or needed > cap_free then 0
        else needed + least(ahead, whole((cap_free - needed) / 2 / live_nodes, price)) end as cap_granted,
      case when not is_admission then 0
        when admissible is null then needed_admissions + ahead_admissions
        when needed_admissions > admissible then 0
        else needed_admissions + least(ahead_admissions, (admissible - needed_admissions) / 2 / live_nodes) end as admitted
    from want
  ), accounts as (
    update account a set leased = a.leased + d.granted from decided d where a.slot = d.account and d.granted > 0
  ), leases as (
    insert into lease as l (account, node, micros) select account, of_node, granted from decided where granted > 0
    on conflict (account, node) do update set micros = l.micros + excluded.micros
  ), keys as (
    update api_key k set month_leased = k.month_leased + d.cap_granted from decided d where k.slot = d.key and d.cap_granted > 0
  ), caps as (
    insert into cap_lease as l (key, node, month, micros) select key, of_node, month, cap_granted from decided where cap_granted > 0
    on conflict (key, node) do update set
      micros = case when l.month = excluded.month then l.micros else 0 end + excluded.micros, month = excluded.month
  ), windows as (
    update rate_window r set in_minute = r.in_minute + d.admitted, in_hour = r.in_hour + d.admitted, in_day = r.in_day + d.admitted
    from decided d where r.account = d.account and d.admitted > 0
  ), admissions as (
    insert into window_lease as l (account, node, minute, unused)
    select account, of_node, minute, admitted from decided where admitted > 0
    on conflict (account, node) do update set
      unused = case when l.minute = excluded.minute then l.unused else 0 end + excluded.unused, minute = excluded.minute
  ), judged as materialized (
    select *,
      -- Recalls only if all returns together would be enough.
      coalesce(is_admission and needed_admissions > admissible and needed_admissions <= admissible + unused_elsewhere, false)
        as is_admission_elsewhere,
      granted = 0 and needed > free and leased > leased_here as is_credit_short,
      granted = 0 and needed > cap_free and month_leased > cap_leased_here as is_cap_short
    from decided
  ), recalled as (
    insert into recall (node, account)
    select l.node, j.account from judged j join lease l on l.account = j.account
    where j.is_credit_short and l.node <> of_node and l.micros > 0
    union
    select l.node, j.account from judged j join cap_lease l on l.key = j.key and l.month = j.month
    where j.is_cap_short and l.node <> of_node and l.micros > 0
    union
    select l.node, j.account from judged j join window_lease l on l.account = j.account and l.minute = j.minute
    where j.is_admission_elsewhere and l.node <> of_node and l.unused > 0
    on conflict do nothing returning account
  )
  select jsonb_agg(jsonb_build_object(
      'account', account, 'grantedMicros', granted, 'elsewhereMicros', balance - leased_here - granted,
      'cap', case when cap_left is not null then jsonb_build_object(
        'key', key, 'grantedMicros', cap_granted, 'elsewhereMicros', greatest(cap_left - cap_leased_here - cap_granted, 0),
        'validMs', month_start_ms(month + 1) - present_ms) end,
      'admission', case when is_admission then jsonb_build_object(
        'granted', admitted, 'validMs', 60000 - present_ms % 60000,
        'waitMs', case when is_admission_elsewhere then 0 else greatest(minute_wait, hour_wait, day_wait) end,
        -- Unused admissions of all nodes do not count as used.
        'counts', jsonb_build_array(in_minute - unused_elsewhere - unused_here, in_hour - unused_elsewhere - unused_here,
          in_day - unused_elsewhere - unused_here)) end
    )), (select array_agg(distinct account) from recalled)
  into shares, recalled_slots from judged;
  if recalled_slots is not null then perform notify_recalls(recalled_slots); end if;
  return coalesce(shares, '[]');
end $$;

-- A wait of more than `lock_ms` for a row is refused as 55P03, and nothing changes. Planning costs more than running, so each
-- connection plans once, by keys. Otherwise a plan for empty tables would stay until they are analyzed.
create function exchange(of_node uuid, of_epoch int, of_number bigint, price bigint, live_ms bigint, reports jsonb, admitted jsonb,
  returns jsonb, wants jsonb, lock_ms int) returns json language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  -- Waits for an earlier attempt at the same exchange.
  me node := enter(of_node, of_epoch);
  present_ms bigint := now_ms();
  keys int[];
  slots int[];
  live_nodes int;
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
  if slots <> '{}' then
    perform set_config('lock_timeout', lock_ms::text, true);
    perform lock_accounts(slots);
    perform roll_months(keys, present_ms);
  end if;

  if reports <> '[]' then perform book_counts(of_node, price, present_ms, reports); end if;
  if admitted <> '[]' then
    update window_lease l set unused = greatest(l.unused - a.queries, 0)
    from (select account, total(queries) as queries from jsonb_to_recordset(admitted) as r (account int, queries bigint)
          group by account) as a
    where l.account = a.account and l.node = of_node;
  end if;
  if returns <> '[]' then perform take_returns(of_node, returns); end if;

  if wants <> '[]' then
    perform roll_windows(slots, present_ms);
    select greatest(count(*), 1) into live_nodes from node where seen_ms > present_ms - live_ms or id = of_node;
    shares := grant_wants(of_node, price, present_ms, live_nodes, wants);
  end if;

  with taken as (delete from recall where node = of_node returning account)
  select coalesce(jsonb_agg(account order by account), '[]') into recalls from taken;
  -- Accounts that were touched and not wanted.
  if reports <> '[]' or admitted <> '[]' or returns <> '[]' then
    shares := shares || coalesce((
      select jsonb_agg(jsonb_build_object('account', a.slot, 'grantedMicros', 0,
        'elsewhereMicros', a.credited - a.spent - coalesce(l.micros, 0), 'cap', null, 'admission', null) order by a.slot)
      from account a left join lease l on l.account = a.slot and l.node = of_node
      where a.slot = any (slots) and not exists (
        select from jsonb_to_recordset(wants) as w (account int) where w.account = a.slot)
    ), '[]');
  end if;
  result := json_build_object('accounts', shares, 'recalls', recalls, 'sequence', (select sequence from fleet));
  update node set exchange_number = of_number, answer = result, seen_ms = present_ms where id = of_node;
  return result;
end $$;
