-- Life of a node: it begins, settles the usage of earlier epochs, and is written off if it is lost.

-- Begins the next epoch of a node. A start has its id, the last start that its folder knows, and its number. It may be repeated. A folder
-- that does not know the last start is a copy. If the database knows fewer starts, the database is an older copy, and the folder counts.
-- Recovery passes a null start. The node counts as seen only once it has settled.
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
  delete from recall where node = of_node;
  -- Admissions of the present minute count as used and end with the epoch.
  delete from window_lease where node = of_node;
  -- A database restored from a dump numbers transactions from the beginning.
  update key_usage set changed_by = pg_current_xact_id() where changed_by > pg_current_xact_id();
  return of_epoch;
end $$;

-- Covers a journal's counts beyond the known leases from the free credit of each account, after an older copy was restored. The
-- rest is recorded and never charged, with an entry in `write_off`. The accounts are locked.
create function cover_counts(of_node uuid, of_epoch int, price bigint, counts jsonb, out covered bigint, out forgiven bigint)
language plpgsql as $$
declare
  lacking record;
  reported record;
  charged_queries bigint;
  missing bigint;
  queries_left bigint;
  taken bigint;
  kept bigint[];
begin
  covered := 0;
  forgiven := 0;
  for lacking in
    select a.slot, a.credited - a.spent - a.leased as free, coalesce(max(l.micros), 0) as leased,
      total(counts_sum(counts_beyond(c.queries, u.queries))) as queries
    from jsonb_to_recordset(counts) as c (key int, queries bigint[])
    join api_key k on k.slot = c.key
    join account a on a.slot = k.account
    left join node_usage u on u.node = of_node and u.key = c.key
    left join lease l on l.node = of_node and l.account = a.slot
    group by a.slot order by a.slot
  loop
    continue when lacking.queries * price <= lacking.leased;
    charged_queries := least(lacking.queries, whole(lacking.leased + lacking.free, price) / price);
    missing := greatest(charged_queries * price - lacking.leased, 0);
    update account set leased = leased + missing where slot = lacking.slot;
    insert into lease as l (account, node, micros) values (lacking.slot, of_node, missing)
    on conflict (account, node) do update set micros = l.micros + excluded.micros;
    covered := covered + missing;
    queries_left := lacking.queries - charged_queries;
    continue when queries_left = 0;
    forgiven := forgiven + queries_left * price;
    insert into write_off (node, epoch, account, micros, time_ms)
    values (of_node, of_epoch - 1, lacking.slot, queries_left * price, now_ms());
    for reported in
      select c.key, u.queries as known, counts_beyond(c.queries, u.queries) as added
      from jsonb_to_recordset(counts) as c (key int, queries bigint[])
      join api_key k on k.slot = c.key and k.account = lacking.slot
      left join node_usage u on u.node = of_node and u.key = c.key
      order by c.key
    loop
      exit when queries_left = 0;
      kept := counts_greatest(reported.known, null);
      for class in 1 .. cardinality(kept) loop
        taken := least(reported.added[class], queries_left);
        kept[class] := kept[class] + taken;
        queries_left := queries_left - taken;
      end loop;
      insert into node_usage (node, key, queries) values (of_node, reported.key, kept)
      on conflict (node, key) do update set queries = excluded.queries;
    end loop;
  end loop;
end $$;

-- Books one part of a journal's counts of earlier epochs. Usage of a written-off node is forgiven.
create function settle_counts(of_node uuid, of_epoch int, price bigint, counts jsonb, out covered bigint, out forgiven bigint)
language plpgsql
set lock_timeout = '3s' set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  me node := enter(of_node, of_epoch);
  keys int[] := array(select key from jsonb_to_recordset(counts) as c (key int));
begin
  covered := 0;
  forgiven := 0;
  if me.is_written_off then
    insert into node_usage as u (node, key, queries)
    select of_node, c.key, counts_greatest(c.queries, null) from jsonb_to_recordset(counts) as c (key int, queries bigint[])
    on conflict (node, key) do update set queries = counts_greatest(u.queries, excluded.queries);
    return;
  end if;
  perform lock_accounts(array(select account from api_key where slot = any (keys)));
  perform roll_months(keys, now_ms());
  if not me.is_settled then
    select * into covered, forgiven from cover_counts(of_node, of_epoch, price, counts);
  end if;
  perform book_counts(of_node, price, now_ms(), counts);
end $$;

-- Frees a node's leases of up to `part_max` accounts and keys, under the locks of the accounts. Returns true if none was left.
create function release_leases(of_node uuid, of_epoch int, is_written_off boolean, part_max int) returns boolean language plpgsql as $$
declare
  slots int[] := array(select account from lease where node = of_node order by account limit part_max);
  keys int[];
begin
  if slots = '{}' then
    keys := array(select key from cap_lease where node = of_node order by key limit part_max);
    slots := array(select account from api_key where slot = any (keys));
  end if;
  perform lock_accounts(slots);
  with freed as (
    delete from lease where node = of_node and account = any (slots) returning account, micros
  ), entered as (
    insert into write_off (node, epoch, account, micros, time_ms)
    select of_node, of_epoch, account, micros, now_ms() from freed where is_written_off and micros > 0 order by account
  )
  update account a set leased = a.leased - f.micros from freed f where a.slot = f.account and f.micros > 0;
  with freed as (
    delete from cap_lease where node = of_node and key = any (keys) returning key, month, micros
  )
  update api_key k set month_leased = k.month_leased - f.micros from freed f where k.slot = f.key and k.month = f.month;
  return slots = '{}';
end $$;

-- Frees one part of the leases of earlier epochs. Returns true if none is left, so that the node may lease.
create function settle_leases(of_node uuid, of_epoch int, part_max int) returns boolean language plpgsql set lock_timeout = '3s' as $$
declare
  me node := enter(of_node, of_epoch);
begin
  -- A node that comes back during its write-off completes it, with the same entries.
  if not release_leases(of_node, of_epoch - 1, me.is_written_off, part_max) then return false; end if;
  update node set is_settled = true, is_written_off = false, seen_ms = now_ms() where id = of_node;
  return true;
end $$;

-- Writes off one part of a silent node's leases. From the first part on, its calls are refused. Returns true if none is left.
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
    delete from recall where node = of_node;
    delete from window_lease where node = of_node;
  end if;
  return release_leases(of_node, me.epoch - 1, true, part_max);
end $$;
