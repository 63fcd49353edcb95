-- Shared functions. Functions with more than one expression are in plpgsql, which keeps their plans. A function in SQL is planned by
-- each calling statement.
-- SQLSTATEs: PF001 fenced, PF002 stale, PF003 a faulty call, PF005 a copied folder.

-- Only these two add and divide money. `sum(bigint)` is numeric, and the division of a numeric does not round down.
-- `total` stays bigint, and `whole` takes only bigint.
create aggregate total(bigint) (sfunc = int8pl, stype = bigint, initcond = '0');

create function whole(micros bigint, price bigint) returns bigint language sql immutable as $$ select micros / price * price $$;

create function now_ms() returns bigint language sql volatile as
$$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$;

create function month_of(time_ms bigint) returns int language sql immutable as
$$ select ((extract(year from t) - 1970) * 12 + extract(month from t) - 1)::int
   from (select to_timestamp(time_ms / 1000) at time zone 'UTC') as moment(t) $$;

create function month_start_ms(month int) returns bigint language sql immutable as
$$ select (extract(epoch from make_timestamptz(1970 + month / 12, month % 12 + 1, 1, 0, 0, 0, 'UTC')) * 1000)::bigint $$;

-- Arithmetic on counts by usage class. Each is one expression, so that the planner inlines it. An element beyond the end of an
-- array is null and counts as zero.

create function counts_greatest(a bigint[], b bigint[]) returns bigint[] language sql immutable as
$$ select array[
  greatest(a[1], b[1], 0), greatest(a[2], b[2], 0), greatest(a[3], b[3], 0), greatest(a[4], b[4], 0), greatest(a[5], b[5], 0),
  greatest(a[6], b[6], 0), greatest(a[7], b[7], 0), greatest(a[8], b[8], 0), greatest(a[9], b[9], 0), greatest(a[10], b[10], 0),
  greatest(a[11], b[11], 0), greatest(a[12], b[12], 0), greatest(a[13], b[13], 0), greatest(a[14], b[14], 0),
  greatest(a[15], b[15], 0), greatest(a[16], b[16], 0)
] $$;

create function counts_plus(a bigint[], b bigint[]) returns bigint[] language sql immutable as
$$ select array[
  coalesce(a[1], 0) + coalesce(b[1], 0), coalesce(a[2], 0) + coalesce(b[2], 0), coalesce(a[3], 0) + coalesce(b[3], 0),
  coalesce(a[4], 0) + coalesce(b[4], 0), coalesce(a[5], 0) + coalesce(b[5], 0), coalesce(a[6], 0) + coalesce(b[6], 0),
  coalesce(a[7], 0) + coalesce(b[7], 0), coalesce(a[8], 0) + coalesce(b[8], 0), coalesce(a[9], 0) + coalesce(b[9], 0),
  coalesce(a[10], 0) + coalesce(b[10], 0), coalesce(a[11], 0) + coalesce(b[11], 0), coalesce(a[12], 0) + coalesce(b[12], 0),
  coalesce(a[13], 0) + coalesce(b[13], 0), coalesce(a[14], 0) + coalesce(b[14], 0), coalesce(a[15], 0) + coalesce(b[15], 0),
  coalesce(a[16], 0) + coalesce(b[16], 0)
] $$;

create function counts_beyond(a bigint[], b bigint[]) returns bigint[] language sql immutable as
$$ select array[
  greatest(a[1] - coalesce(b[1], 0), 0), greatest(a[2] - coalesce(b[2], 0), 0), greatest(a[3] - coalesce(b[3], 0), 0),
  greatest(a[4] - coalesce(b[4], 0), 0), greatest(a[5] - coalesce(b[5], 0), 0), greatest(a[6] - coalesce(b[6], 0), 0),
  greatest(a[7] - coalesce(b[7], 0), 0), greatest(a[8] - coalesce(b[8], 0), 0), greatest(a[9] - coalesce(b[9], 0), 0),
  greatest(a[10] - coalesce(b[10], 0), 0), greatest(a[11] - coalesce(b[11], 0), 0), greatest(a[12] - coalesce(b[12], 0), 0),
  greatest(a[13] - coalesce(b[13], 0), 0), greatest(a[14] - coalesce(b[14], 0), 0), greatest(a[15] - coalesce(b[15], 0), 0),
  greatest(a[16] - coalesce(b[16], 0), 0)
] $$;

create function counts_sum(a bigint[]) returns bigint language sql immutable as
$$ select coalesce(a[1], 0) + coalesce(a[2], 0) + coalesce(a[3], 0) + coalesce(a[4], 0) + coalesce(a[5], 0) + coalesce(a[6], 0)
        + coalesce(a[7], 0) + coalesce(a[8], 0) + coalesce(a[9], 0) + coalesce(a[10], 0) + coalesce(a[11], 0) + coalesce(a[12], 0)
        + coalesce(a[13], 0) + coalesce(a[14], 0) + coalesce(a[15], 0) + coalesce(a[16], 0) $$;

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
  perform slot from account where slot = any (slots) order by slot for no key update;
end $$;

-- Starts a new month for keys whose stored month has passed. A stored month in the future comes from a clock that was ahead. It
-- stays, so that no cap is refilled.
create function roll_months(keys int[], present_ms bigint) returns void language plpgsql as $$
declare
  present int := month_of(present_ms);
begin
  update api_key set month = present, month_spent = 0, month_leased = 0 where slot = any (keys) and month < present;
end $$;

-- Books the excess of one node's cumulative counts, `[{"key", "queries"}]`, over the known counts. The accounts are locked.
create function book_counts(of_node uuid, price bigint, present_ms bigint, counts jsonb) returns void language plpgsql as $$
declare
  reported bigint;
  known bigint;
  expected bigint;
  booked bigint;
begin
  with report as materialized (
    select r.key, k.account, u.queries as before, counts_greatest(r.queries, u.queries) as after, k.month,
      cl.micros as cap_leased
    from jsonb_to_recordset(counts) as r (key int, queries bigint[])
    join api_key k on k.slot = r.key
    left join node_usage u on u.node = of_node and u.key = r.key
    left join cap_lease cl on cl.key = r.key and cl.node = of_node and cl.month = k.month
  ), changed as materialized (
    select *, counts_beyond(after, before) as added, counts_sum(counts_beyond(after, before)) * price as micros
    from report where counts_sum(counts_beyond(after, before)) > 0
  ), by_node as (
    insert into node_usage (node, key, queries) select of_node, key, after from changed
    on conflict (node, key) do update set queries = excluded.queries
  ), by_key as (
    insert into key_usage as t (key, queries, changed_by) select key, added, pg_current_xact_id() from changed
    on conflict (key) do update set queries = counts_plus(t.queries, excluded.queries), changed_by = excluded.changed_by
    returning key, queries
  ), by_hour as (
    insert into key_hour (hour, key, queries) select present_ms / 3600000, key, queries from by_key
    on conflict (hour, key) do update set queries = excluded.queries
  ), by_month as (
    update api_key k set month_spent = month_spent + c.micros,
      month_leased = month_leased - least(c.micros, coalesce(c.cap_leased, 0))
    from changed c where k.slot = c.key
  ), by_cap as (
    -- A node may exceed its grant of a cap: it charged before the cap was set, or in the month before.
    update cap_lease cl set micros = cl.micros - least(c.micros, c.cap_leased)
    from changed c where cl.key = c.key and cl.node = of_node and c.cap_leased > 0
  ), by_account as materialized (
    select account, total(micros) as micros from changed group by account
  ), used as (
    update lease l set micros = l.micros - b.micros
    from by_account b where l.account = b.account and l.node = of_node and l.micros >= b.micros
    returning l.account, b.micros
  ), spent as (
    update account a set spent = a.spent + u.micros, leased = a.leased - u.micros from used u where a.slot = u.account
  )
  select jsonb_array_length(counts), (select count(*) from report), (select count(*) from by_account), (select count(*) from used)
  into reported, known, expected, booked;
  if known <> reported then
    raise exception 'node % reports % keys, of which % are not known', of_node, reported, reported - known using errcode = 'PF003';
  elsif booked <> expected then
    raise exception 'node % reports more than it holds of % accounts', of_node, expected - booked using errcode = 'PF003';
  end if;
end $$;

-- Wakes listening nodes. A notice must be shorter than 8,000 bytes.
create function notify_recalls(slots int[]) returns void language sql as $$
  select pg_notify(current_schema(), 'recall ' || string_agg(slot::text, ','))
  from unnest(slots) with ordinality as s (slot, place) group by place / 500
$$;
