-- The life of a node: it begins, settles what earlier epochs have used, says what it runs, and is given up when it never returns.

create function begin_node(of_node uuid, of_address text, of_version text, of_index_build text, out of_epoch int, out of_fleet uuid,
  out of_sequence bigint) language plpgsql as $$
begin
  insert into node as n (id, seen_ms, address, version, index_build)
  values (of_node, now_ms(), of_address, of_version, of_index_build)
  on conflict (id) do update set epoch = n.epoch + 1, is_settled = false, seen_ms = excluded.seen_ms, exchange_number = 0,
    answer = null, address = excluded.address, version = excluded.version, index_build = excluded.index_build
  returning epoch into of_epoch;
  delete from recall where node = of_node;
  -- What it held for the present minute has been counted as used, and dies with its epoch.
  delete from window_hold where node = of_node;
  select id, sequence into of_fleet, of_sequence from fleet;
end $$;

create function describe_node(of_node uuid, of_epoch int, of_address text, of_version text, of_index_build text, of_applied bigint)
returns void language plpgsql as $$
begin
  perform enter(of_node, of_epoch);
  update node set address = of_address, version = of_version, index_build = of_index_build, applied = of_applied,
    seen_ms = now_ms() where id = of_node;
end $$;

-- One part of the counts that the journal of a node has after its earlier epochs. Returns those that the database knows greater:
-- the journal was restored from a backup, or the power took its end. The usage of a node that was written off is forgiven.
create function settle_counts(of_node uuid, of_epoch int, price bigint, counts jsonb) returns json language plpgsql as $$
declare
  me node := enter(of_node, of_epoch);
  keys int[] := array(select key from jsonb_to_recordset(counts) as c (key int));
begin
  if me.is_written_off then
    insert into node_usage as u (node, key, queries)
    select of_node, c.key, counts_greatest(c.queries, null) from jsonb_to_recordset(counts) as c (key int, queries bigint[])
    on conflict (node, key) do update set queries = counts_greatest(u.queries, excluded.queries);
  else
    perform lock_accounts(array(select account from api_key where slot = any (keys)));
    perform roll_months(keys, now_ms());
    perform book_reports(of_node, price, now_ms(), counts);
  end if;
  return (
    select coalesce(json_agg(json_build_object('key', u.key, 'queries', u.queries) order by u.key), '[]')
    from jsonb_to_recordset(counts) as c (key int, queries bigint[])
    join node_usage u on u.node = of_node and u.key = c.key
    where u.queries <> counts_greatest(c.queries, null)
  );
end $$;

-- Keys that this node has reported and that its journal does not have at all.
create function settle_missing(of_node uuid, of_epoch int, keys int[]) returns json language plpgsql as $$
begin
  perform enter(of_node, of_epoch);
  return (
    select coalesce(json_agg(json_build_object('key', u.key, 'queries', u.queries) order by u.key), '[]')
    from node_usage u left join unnest(keys) as k (key) on k.key = u.key
    where u.node = of_node and k.key is null and counts_sum(u.queries) > 0
  );
end $$;

-- Frees what a node holds of up to `accounts_max` accounts. True when it held nothing any more: a transaction that has locked accounts
-- here locks no others after them.
create function release_leases(of_node uuid, accounts_max int, is_written_off boolean, of_epoch int) returns boolean
language plpgsql as $$
declare
  slots int[] := array(select account from lease where node = of_node order by account limit accounts_max);
begin
  perform lock_accounts(slots);
  if is_written_off then
    insert into write_off (node, epoch, account, micros, time_ms)
    select of_node, of_epoch, account, granted - used, now_ms() from lease
    where node = of_node and account = any (slots) and granted > used order by account;
  end if;
  with freed as (
    delete from lease where node = of_node and account = any (slots) returning account, granted - used as micros
  )
  update account a set leased = a.leased - f.micros from freed f where a.slot = f.account and f.micros > 0;
  return cardinality(slots) = 0;
end $$;

-- The same of caps. The row of a key's cap is changed under the lock of its account.
create function release_caps(of_node uuid, keys_max int) returns boolean language plpgsql as $$
declare
  keys int[] := array(select key from cap_lease where node = of_node order by key limit keys_max);
begin
  perform lock_accounts(array(select account from api_key where slot = any (keys)));
  with freed as (
    delete from cap_lease where node = of_node and key = any (keys) returning key, month, granted - used as micros
  )
  update api_key k set month_leased = k.month_leased - f.micros from freed f
  where k.slot = f.key and k.month = f.month and f.micros > 0;
  return cardinality(keys) = 0;
end $$;

-- One part of returning what the earlier epochs held. True when nothing is left and the node may lease.
create function settle_leases(of_node uuid, of_epoch int, part_max int) returns boolean language plpgsql as $$
declare
  me node := enter(of_node, of_epoch);
begin
  -- A node that comes back while its leases are being given up ends that, with the same entries.
  if not release_leases(of_node, part_max, me.is_written_off, of_epoch - 1) or not release_caps(of_node, part_max) then return false; end if;
  update node set is_settled = true, is_written_off = false, seen_ms = now_ms() where id = of_node;
  return true;
end $$;

-- Gives up the leases of a node that has been silent for `silent_ms`. Its calls are refused from the first part on. True when
-- nothing is left.
create function write_off_node(of_node uuid, silent_ms bigint, part_max int) returns boolean language plpgsql as $$
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
    where id = of_node;
    delete from recall where node = of_node;
    delete from window_hold where node = of_node;
  end if;
  return release_leases(of_node, part_max, true, me.epoch - me.is_written_off::int) and release_caps(of_node, part_max);
end $$;
