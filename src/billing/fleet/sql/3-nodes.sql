-- Life of a node: it begins, settles the usage of earlier epochs, and is written off if it is lost.

-- Begins the next epoch of a node, which counts as seen once it has settled. Recovery passes a null start.
-- 1. The folder stores the new start's id.
-- 2. The database accepts it if its own last start is the folder's last start, or this one repeated. If it
--    knows fewer starts than the folder, the database is an older copy, and the folder counts.
-- 3. Otherwise the folder is a copy: PF005.
create function begin_node(of_node uuid, of_start uuid, last_start uuid, of_starts int) returns int language plpgsql as $$
declare
  of_epoch int;
begin
  -- Waits for a move in progress, but not for commits.
  perform from fleet for key share;
  insert into node as n (id, start, starts, seen_ms) values (of_node, of_start, coalesce(of_starts, 0), now_ms())
  on conflict (id) do update set epoch = n.epoch + 1, start = coalesce(excluded.start, n.start),
    starts = greatest(n.starts, excluded.starts), is_settled = false, is_gone = false, exchange_number = 0, answer = null
  where of_start is null or n.start is null or n.start in (last_start, of_start) or n.starts < of_starts - 1
  returning epoch into of_epoch;
  if of_epoch is null then
    raise exception 'node % has been started elsewhere since', of_node using errcode = 'PF005';
  end if;
  -- A restored dump numbers transactions anew. Changes of running ones are below the snapshot's end.
  update key_usage set changed_by = pg_current_xact_id() where changed_by >= pg_snapshot_xmax(pg_current_snapshot());
  delete from recall where node = of_node;
  return of_epoch;
end $$;

-- Notes a node's facts and its newest applied sequence. Returns the time.
create function describe_node(of_node uuid, of_epoch int, facts json, of_applied bigint) returns bigint language plpgsql as $$
declare
  me node := enter(of_node, of_epoch);
  present_ms bigint := now_ms();
begin
  update node set address = facts->>'address', version = facts->>'version', index_build = facts->>'indexBuild',
    applied = of_applied, seen_ms = present_ms where id = of_node;
  return present_ms;
end $$;

-- After an older copy was restored, covers a node's counts beyond the known leases, from the free credit of
-- each account. The accounts are locked. Kind 0 is the balance.
-- 1. `reported` and `sums` are the queries that the database does not know.
-- 2. `lacking` are accounts whose lease cannot pay. `charged` are queries that lease and free credit can pay.
-- 3. `missing` is the credit that the lease lacks. `counters` and `leases` add it.
-- 4. `entries` writes the other queries off. `unpaid` takes them from an account's first keys. `usage` stores
--    these as known, so that `report` does not charge them.
create function cover_counts(of_node uuid, of_epoch int, price bigint, counts jsonb, out covered bigint, out forgiven bigint)
language plpgsql as $$
begin
  with reported as materialized (
    select h.account, r.key, r.usage, coalesce(u.queries, 0) as known, greatest(r.queries - coalesce(u.queries, 0), 0) as added
    from jsonb_to_recordset(counts) as r (key int, usage int, queries bigint)
    join holder h on h.slot = r.key
    left join node_usage u on u.node = of_node and u.key = r.key and u.usage = r.usage
  ), sums as (
    select account, total(added) as queries from reported group by account
  ), lacking as materialized (
    select s.account, coalesce(l.amount, 0) as held, s.queries,
      least(s.queries, whole(coalesce(l.amount, 0) + c.most - c.used - c.leased, price) / price) as charged
    from sums s join counter c on c.holder = s.account and c.kind = 0
    left join lease l on l.holder = s.account and l.kind = 0 and l.node = of_node
    where s.queries * price > coalesce(l.amount, 0)
  ), missing as materialized (
    select account, charged * price - held as micros from lacking where charged * price > held
  ), counters as (
    update counter c set leased = c.leased + m.micros from missing m where c.holder = m.account and c.kind = 0
  ), leases as (
    insert into lease as l (holder, kind, node, period, amount) select account, 0, of_node, 0, micros from missing
    on conflict (holder, kind, node) do update set amount = l.amount + excluded.amount
  ), entries as (
    insert into write_off (node, epoch, account, micros, time_ms)
    select of_node, of_epoch - 1, account, (queries - charged) * price, now_ms() from lacking where queries > charged order by account
  ), unpaid as (
    select r.*, least(added, l.queries - l.charged - (total(added) over (partition by account order by key, usage) - added)) as queries
    from reported r join lacking l using (account)
  ), usage as (
    insert into node_usage as u (node, key, usage, queries) select of_node, key, w.usage, known + queries from unpaid w where queries > 0
    on conflict (node, key, usage) do update set queries = excluded.queries
  )
  select (select total(micros) from missing), total((queries - charged) * price) into covered, forgiven from lacking;
end $$;

-- Books one part of a node's counts of earlier epochs. Usage of a written-off node is forgiven.
create function settle_counts(of_node uuid, of_epoch int, price bigint, counts jsonb, out "coveredMicros" bigint, out "forgivenMicros" bigint)
language plpgsql
set lock_timeout = '3s' set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  me node := enter(of_node, of_epoch);
  keys int[] := array(select distinct key from jsonb_to_recordset(counts) as c (key int));
begin
  "coveredMicros" := 0;
  "forgivenMicros" := 0;
  if me.is_written_off then
    insert into node_usage as u (node, key, usage, queries)
    select of_node, c.key, c.usage, c.queries from jsonb_to_recordset(counts) as c (key int, usage int, queries bigint)
    on conflict (node, key, usage) do update set queries = greatest(u.queries, excluded.queries);
    return;
  end if;
  perform lock_accounts(array(select account from holder where slot = any (keys)));
  perform begin_periods(keys, now_ms());
  select * into "coveredMicros", "forgivenMicros" from cover_counts(of_node, of_epoch, price, counts);
  perform take_back(of_node, report(of_node, price, now_ms(), counts));
end $$;

-- Ends a node's leases of up to `part_max` accounts and keys, under the locks of the accounts. Money is free
-- again. A window's lease counts as used, since no ledger knows its use. Returns true if none was left.
create function release_leases(of_node uuid, of_epoch int, is_written_off boolean, part_max int) returns boolean language plpgsql as $$
declare
  holders int[] := array(select distinct holder from lease where node = of_node order by holder limit part_max);
begin
  perform lock_accounts(array(select account from holder where slot = any (holders)));
  with freed as (
    delete from lease where node = of_node and holder = any (holders) returning holder, kind, period, amount
  ), entered as (
    insert into write_off (node, epoch, account, micros, time_ms)
    select of_node, of_epoch, holder, amount, now_ms() from freed where is_written_off and kind = 0 and amount > 0 order by holder
  )
  update counter c set leased = c.leased - f.amount, used = c.used + case when f.kind < 2 then 0 else f.amount end
  from freed f where c.holder = f.holder and c.kind = f.kind and c.period = f.period and f.amount > 0;
  return holders = '{}';
end $$;

-- Frees one part of the leases of earlier epochs. Returns true if none is left, so that the node may lease.
create function settle_leases(of_node uuid, of_epoch int, part_max int) returns boolean language plpgsql set lock_timeout = '3s' as $$
declare
  me node := enter(of_node, of_epoch);
begin
  -- A node that comes back during its write-off completes it.
  if not release_leases(of_node, of_epoch - 1, me.is_written_off, part_max) then return false; end if;
  update node set is_settled = true, is_written_off = false, seen_ms = now_ms() where id = of_node;
  return true;
end $$;

-- Writes off one part of a silent node's leases, and refuses its calls. Returns true if none is left.
create function write_off_node(of_node uuid, silent_ms bigint, part_max int) returns boolean language plpgsql set lock_timeout = '3s' as $$
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
    where id = of_node returning * into me;
  end if;
  if not release_leases(of_node, me.epoch - 1, true, part_max) then return false; end if;
  -- After the accounts: an exchange that has them may be adding one of these rows.
  delete from recall where node = of_node;
  return true;
end $$;

-- Nodes that may be written off, and hold credit or parts of caps: also one whose write-off was interrupted.
create function nodes_to_write_off(silent_ms bigint) returns json language sql stable as $$
  select coalesce(json_agg(id order by id), '[]') from node where now_ms() - seen_ms >= silent_ms
    and exists (select from lease where node = id and kind < 2 and amount > 0)
$$;

-- Gives the dashboard to a starting node, unless another one may come back. Returns that one, or null.
create function claim_dashboard(of_node uuid) returns json language plpgsql as $$
begin
  update fleet set dashboard_node = of_node
  where not exists (select from node where id = dashboard_node and not is_written_off and not is_gone);
  return (select json_build_object('node', n.id, 'address', n.address)
    from fleet join node n on n.id = dashboard_node where n.id <> of_node);
end $$;
