-- After the database was replaced by an older copy (a backup, or a standby that had not received everything), the journal of a node may
-- have charged more than the database knows the node to hold.

-- For one part of the counts of a journal: leases what they lack from what is free of each account, so that `settle_counts` books them.
-- Where not enough is free, the rest of the usage is recorded as known and never charged, with an entry in `write_off`.
create function cover_counts(of_node uuid, of_epoch int, price bigint, counts jsonb, out covered bigint, out forgiven bigint)
language plpgsql as $$
declare
  me node := enter(of_node, of_epoch);
  keys int[] := array(select key from jsonb_to_recordset(counts) as c (key int));
  lacking record;
  reported record;
  paid bigint;
  queries_left bigint;
  kept bigint[];
begin
  covered := 0;
  forgiven := 0;
  if me.is_settled or me.is_written_off then
    raise exception 'node % is not about to settle', of_node using errcode = 'PF003';
  end if;
  perform lock_accounts(array(select account from api_key where slot = any (keys)));
  for lacking in
    select a.slot, a.credited - a.spent - a.leased as free,
      sum(counts_sum(counts_beyond(c.queries, u.queries))) * price - coalesce(max(l.granted - l.used), 0) as micros
    from jsonb_to_recordset(counts) as c (key int, queries bigint[])
    join api_key k on k.slot = c.key
    join account a on a.slot = k.account
    left join node_usage u on u.node = of_node and u.key = c.key
    left join lease l on l.node = of_node and l.account = a.slot
    group by a.slot order by a.slot
  loop
    continue when lacking.micros <= 0;
    paid := least(lacking.micros, lacking.free) / price * price;
    update account set leased = leased + paid where slot = lacking.slot;
    insert into lease as l (account, node, granted) values (lacking.slot, of_node, paid)
    on conflict (account, node) do update set granted = l.granted + excluded.granted;
    covered := covered + paid;
    continue when paid = lacking.micros;
    forgiven := forgiven + lacking.micros - paid;
    insert into write_off (node, epoch, account, micros, time_ms)
    values (of_node, of_epoch - 1, lacking.slot, lacking.micros - paid, now_ms());
    queries_left := (lacking.micros - paid) / price;
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
        paid := least(coalesce(reported.added[class], 0), queries_left);
        kept[class] := kept[class] + paid;
        queries_left := queries_left - paid;
      end loop;
      insert into node_usage (node, key, queries) values (of_node, reported.key, kept)
      on conflict (node, key) do update set queries = excluded.queries;
    end loop;
  end loop;
end $$;
