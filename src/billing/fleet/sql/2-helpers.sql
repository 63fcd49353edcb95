-- Shared functions. Functions with more than one expression are in plpgsql, which keeps their plans. A
-- function in SQL is planned by each calling statement.
-- SQLSTATEs: PF001 fenced, PF002 stale, PF003 a faulty call, PF005 a copied folder.

-- Only these two add and divide money. `sum(bigint)` is numeric, whose division does not round down.
create aggregate total(bigint) (sfunc = int8pl, stype = bigint, initcond = '0');

create function whole(micros bigint, price bigint) returns bigint language sql immutable as $$ select micros / price * price $$;

create function now_ms() returns bigint language sql volatile as
$$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$;

-- Number of the period of a kind of counter at a time, from 1970. A balance has one period.
create function period_of(kind int, time_ms bigint) returns bigint language sql immutable as
$$ select case kind
     when 0 then 0
     when 1 then ((extract(year from t) - 1970) * 12 + extract(month from t) - 1)::bigint
     when 2 then time_ms / 60000
     when 3 then time_ms / 3600000
     else time_ms / 86400000 end
   from (select to_timestamp(time_ms / 1000) at time zone 'UTC') as moment(t) $$;

-- Null for a balance, which never ends.
create function period_end_ms(kind int, period bigint) returns bigint language sql immutable as
$$ select case kind
     when 1 then (extract(epoch from
       make_timestamptz((1970 + (period + 1) / 12)::int, ((period + 1) % 12 + 1)::int, 1, 0, 0, 0, 'UTC')) * 1000)::bigint
     when 2 then (period + 1) * 60000
     when 3 then (period + 1) * 3600000
     when 4 then (period + 1) * 86400000 end $$;

create function expect_epoch(me node, of_node uuid, of_epoch int) returns void language plpgsql as $$
begin
  if me.epoch is distinct from of_epoch then
    raise exception 'epoch % of node % has ended: %', of_epoch, of_node, case
      when me.id is null then 'the database does not know the node'
      when me.is_written_off then 'the node was silent for so long that its leases were given up'
      else format('epoch %s is the present one', me.epoch) end using errcode = 'PF001';
  end if;
end $$;

-- Locks and returns the row of the calling node, so that a node has one call at a time.
create function enter(of_node uuid, of_epoch int) returns node language plpgsql as $$
declare
  me node;
begin
  select * into me from node where id = of_node for no key update;
  perform expect_epoch(me, of_node, of_epoch);
  return me;
end $$;

-- Locks accounts in the order of their slots, so that two transactions never wait for each other.
create function lock_accounts(slots int[]) returns void language plpgsql as $$
begin
  perform slot from holder where slot = any (slots) order by slot for no key update;
end $$;

-- Begins new periods of counters. One in the future, of a clock that was ahead, stays: nothing is refilled.
create function begin_periods(holders int[], present_ms bigint) returns void language plpgsql as $$
begin
  update counter set period = period_of(kind, present_ms), used = 0, leased = 0
  where holder = any (holders) and period < period_of(kind, present_ms);
end $$;

-- Books a node's cumulative counts, `[{"key", "usage", "queries"}]`, beyond known ones, under locks. Returns
-- what they cost, which `take_back` takes out of balances and caps.
create function report(of_node uuid, price bigint, present_ms bigint, counts jsonb) returns jsonb language plpgsql as $$
declare
  unknown bigint;
  costs jsonb;
begin
  with reported as materialized (
    select r.key, r.usage, r.queries, h.account, r.queries - coalesce(u.queries, 0) as added
    from jsonb_to_recordset(counts) as r (key int, usage int, queries bigint)
    left join holder h on h.slot = r.key and h.account <> h.slot
    left join node_usage u on u.node = of_node and u.key = r.key and u.usage = r.usage
  ), added as materialized (
    select * from reported where added > 0 and account is not null
  ), by_node as (
    insert into node_usage (node, key, usage, queries) select of_node, key, usage, queries from added
    on conflict (node, key, usage) do update set queries = excluded.queries
  ), by_key as (
    insert into key_usage as t (key, usage, queries, hour, changed_by)
    select key, usage, added, present_ms / 3600000, pg_current_xact_id() from added
    on conflict (key, usage) do update set queries = t.queries + excluded.queries, hour = excluded.hour, changed_by = excluded.changed_by
  ), by_time as (
    insert into key_history as t (hours, start, key, usage, queries)
    select hours, present_ms / 3600000 / hours, key, usage, added from added, (values (1), (24)) as unit (hours)
    on conflict (hours, start, key, usage) do update set queries = t.queries + excluded.queries
  ), cost as (
    select account as holder, 0 as kind, total(added) * price as used, 0 as returned from added group by account
    union all
    select key, 1, total(added) * price, 0 from added group by key
  )
  select (select count(*) from reported where account is null), (select coalesce(jsonb_agg(c), '[]') from cost c) into unknown, costs;
  if unknown > 0 then
    raise exception 'node % reports % counts of keys that are not known', of_node, unknown using errcode = 'PF003';
  end if;
  return costs;
end $$;

-- Takes used and returned parts out of a node's leases, under locks. More than the lease of a balance is a
-- fault. Of a cap, a node may use more: it charged before the cap was set, or in the month before. The lease
-- of a window may have ended meanwhile.
create function take_back(of_node uuid, taken jsonb) returns void language plpgsql as $$
declare
  beyond bigint;
begin
  with given as materialized (
    select t.holder, t.kind, case t.kind when 1 then t.used else least(t.used, coalesce(l.amount, 0)) end as used,
      least(t.used + t.returned, coalesce(l.amount, 0)) as amount, coalesce(l.amount, 0) as held, t.used + t.returned as asked
    from (select holder, kind, total(used) as used, total(returned) as returned
          from jsonb_to_recordset(taken) as r (holder int, kind int, used bigint, returned bigint) group by holder, kind) as t
    join counter c on c.holder = t.holder and c.kind = t.kind
    left join lease l on l.holder = t.holder and l.kind = t.kind and l.node = of_node and l.period = c.period
  ), leases as (
    update lease l set amount = g.held - g.amount
    from given g where l.holder = g.holder and l.kind = g.kind and l.node = of_node and g.amount > 0
  ), counters as (
    update counter c set used = c.used + g.used, leased = c.leased - g.amount
    from given g where c.holder = g.holder and c.kind = g.kind and (g.used > 0 or g.amount > 0)
  )
  select count(*) into beyond from given where kind = 0 and asked not between 0 and held;
  if beyond > 0 then
    raise exception 'node % uses or returns more than it holds of % accounts', of_node, beyond using errcode = 'PF003';
  end if;
end $$;

-- Wakes listening nodes. A notice must be shorter than 8,000 bytes.
create function notify_recalls(slots int[]) returns void language sql as $$
  select pg_notify(current_schema(), 'recall ' || string_agg(slot::text, ','))
  from unnest(slots) with ordinality as s (slot, place) group by place / 500
$$;
