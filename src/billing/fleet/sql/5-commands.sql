-- Commits of commands, recalls of leases, and reads of changes.

create function apply_event(event jsonb) returns void language plpgsql as $$
declare
  of_holder int := coalesce(event->>'slot', event->>'key', event->>'account');
  taken bigint := event->>'takenMicros';
begin
  case event->>'kind'
    when 'account' then
      insert into holder (slot, account, id) values (of_holder, of_holder, event->>'id');
      insert into counter (holder, kind, most) values (of_holder, 0, 0);
      return;
    when 'key' then
      insert into holder (slot, account) values (of_holder, (event->>'account')::int);
      insert into counter (holder, kind) values (of_holder, 1);
      return;
    when 'cap', 'limits', 'rules', 'credit', 'adjust', 'closed' then
      perform lock_accounts(array(select account from holder where slot = of_holder));
    else
      return;
  end case;
  if not exists (select from holder where slot = of_holder) then
    raise exception 'an event of kind % concerns a slot that is not known: %', event->>'kind', event using errcode = 'PF003';
  end if;
  case event->>'kind'
    when 'cap' then
      update counter set most = (event->>'micros')::bigint where holder = of_holder and kind = 1;
    when 'credit' then
      update counter set most = most + (event->>'micros')::bigint - (event->>'debtPaidMicros')::bigint where holder = of_holder and kind = 0;
    when 'adjust', 'closed' then
      update counter set most = most - taken where holder = of_holder and kind = 0 and most - used - leased >= taken
        -- A debt and the end of an account leave no balance, neither here nor on a node.
        and (taken = (event->>'micros')::bigint or most - used = taken);
      if not found then
        raise exception 'account % does not have the % micro-dollars that would be taken: nodes hold some, or the balance has changed',
          of_holder, taken using errcode = 'PF002';
      end if;
      -- The command has its money, so credit may be granted again.
      update holder set recall_until_ms = 0 where slot = of_holder;
    else
      if jsonb_typeof(event->'limits') = 'object' then
        insert into counter (holder, kind, most)
        -- 2^52 stands for an unlimited window, which counts too.
        select of_holder, kind, coalesce((event->'limits'->>name)::bigint, 4503599627370496)
        from (values (2, 'perMinute'), (3, 'perHour'), (4, 'perDay')) as windows (kind, name)
        on conflict (holder, kind) do update set most = excluded.most;
      else
        -- The counts of the windows go on.
        update counter set most = null where holder = of_holder and kind >= 2;
      end if;
  end case;
end $$;

-- Appends one transaction if `after` is the newest. A locked row stops this command alone.
create function commit_events(of_node uuid, of_epoch int, after bigint, new_events jsonb) returns json language plpgsql as $$
declare
  head fleet;
  of_sequence bigint := after + 1;
  of_time_ms bigint;
begin
  perform expect_epoch((select n from node n where id = of_node), of_node, of_epoch);
  select * into head from fleet for no key update;
  if head.sequence <> after then
    raise exception 'transaction % is the newest, not %', head.sequence, after using errcode = 'PF002';
  end if;
  of_time_ms := greatest(head.time_ms, now_ms());
  perform set_config('lock_timeout', '250ms', true);
  perform apply_event(event) from jsonb_array_elements(new_events) with ordinality as e (event, place);
  insert into event (sequence, time_ms, events) values (of_sequence, of_time_ms, new_events);
  update fleet set sequence = of_sequence, time_ms = of_time_ms;
  perform pg_notify(current_schema(), 'committed ' || of_sequence);
  return json_build_object('sequence', of_sequence, 'timeMs', of_time_ms);
end $$;

-- Recalls all leases of an account, and grants none for `recall_ms`.
create function recall_account(of_node uuid, of_epoch int, of_account int, recall_ms bigint, out "freeMicros" bigint, out "isLeased" boolean)
language plpgsql set lock_timeout = '1s' as $$
begin
  perform expect_epoch((select n from node n where id = of_node), of_node, of_epoch);
  update holder set recall_until_ms = now_ms() + recall_ms where slot = of_account;
  select most - used - leased, leased > 0 into "freeMicros", "isLeased" from counter where holder = of_account and kind = 0;
  if not found then raise exception 'account % is not known', of_account using errcode = 'PF003'; end if;
  if "isLeased" then
    insert into recall (node, account) select node, holder from lease where holder = of_account and kind = 0 and amount > 0
    on conflict do nothing;
    perform notify_recalls(array[of_account]);
  end if;
end $$;

-- Returns transactions after a sequence and changed usage, in one state. A reading begins at `floor`, the
-- oldest transaction that was running at the last reading. Usage comes only after all events, which may open
-- its keys.
create function read_changes(after bigint, floor xid8, events_max int) returns json language sql stable as $$
  with page as (
    select sequence, time_ms, events from event where sequence > after order by sequence limit events_max
  ), usage as (
    select key, usage, queries from key_usage where (select count(*) from page) < events_max and changed_by >= floor
  )
  select json_build_object(
    'sequence', (select sequence from fleet),
    'committed', (select coalesce(json_agg(json_build_object('sequence', sequence, 'timeMs', time_ms, 'events', p.events)
      order by sequence), '[]') from page p),
    'usage', (select coalesce(json_agg(json_build_object('key', key, 'usage', u.usage, 'queries', queries)), '[]') from usage u),
    'position', case when (select count(*) from page) < events_max then pg_snapshot_xmin(pg_current_snapshot())::text else floor::text end
  )
$$;

-- Returns the cumulative usage of keys, oldest first: all before the histories, then days, then hours.
create function read_history(hourly_days int) returns table (hour bigint, key int, usage int, queries bigint) language sql stable as $$
  with kept as materialized (
    select case hours when 1 then start else least(start * 24 + 23, u.hour) end as hour, h.key, h.usage, h.queries
    from key_history h join key_usage u on u.key = h.key and u.usage = h.usage, (select now_ms() / 86400000 - hourly_days) as cut (day)
    where hours = 24 and start < day or hours = 1 and start >= day * 24
  ), sums as (
    select key, usage, total(queries) as queries from kept group by key, usage
  ), added as (
    select least(u.hour, (select min(hour) from kept)) as hour, u.key, u.usage, u.queries - coalesce(s.queries, 0) as queries
    from key_usage u left join sums s on s.key = u.key and s.usage = u.usage where u.queries > coalesce(s.queries, 0)
    union all select * from kept
  )
  select a.hour, a.key, a.usage, total(a.queries) over (partition by a.key, a.usage order by a.hour) from added a order by 1
$$;
