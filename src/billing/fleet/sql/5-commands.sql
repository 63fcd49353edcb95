-- Commits of commands, recalls of leases, and reads of changes.

create function apply_event(event jsonb) returns void language plpgsql as $$
declare
  of_account int := event->>'account';
  of_key int := event->>'key';
  limits jsonb := event->'limits';
  taken bigint;
  is_known boolean := true;
begin
  case event->>'kind'
    when 'account' then
      insert into account (slot, id) values ((event->>'slot')::int, event->>'id');
    when 'key' then
      insert into api_key (slot, account) values ((event->>'slot')::int, of_account);
    when 'cap' then
      perform lock_accounts(array(select account from api_key where slot = of_key));
      update api_key set cap = (event->>'micros')::bigint,
        month_leased = case when event->>'micros' is null then 0 else month_leased end
      where slot = of_key;
      is_known := found;
      if event->>'micros' is null then delete from cap_lease where key = of_key; end if;
    when 'limits' then
      update account set is_limited = jsonb_typeof(limits) = 'object', per_minute = (limits->>'perMinute')::bigint,
        per_hour = (limits->>'perHour')::bigint, per_day = (limits->>'perDay')::bigint
      where slot = of_account;
      is_known := found;
    when 'rules' then
      -- A key's own limits. Other keys need no row.
      if jsonb_typeof(limits) = 'object' then
        insert into account as a (slot, is_key, is_limited, per_minute, per_hour, per_day)
        values (of_key, true, true, (limits->>'perMinute')::bigint, (limits->>'perHour')::bigint, (limits->>'perDay')::bigint)
        on conflict (slot) do update set is_limited = true, per_minute = excluded.per_minute, per_hour = excluded.per_hour,
          per_day = excluded.per_day;
      else
        update account set is_limited = false, per_minute = null, per_hour = null, per_day = null where slot = of_key and is_key;
      end if;
    when 'credit' then
      update account set credited = credited + (event->>'micros')::bigint - (event->>'debtPaidMicros')::bigint where slot = of_account;
      is_known := found;
    when 'adjust', 'closed' then
      taken := event->>'takenMicros';
      perform lock_accounts(array[of_account]);
      -- The command has its money, so leases may be granted again.
      update account set credited = credited - taken, recall_until_ms = 0
      where slot = of_account and credited - spent - leased >= taken
        -- A debt and the end of an account leave no balance, neither here nor on a node.
        and (taken = (event->>'micros')::bigint or credited - spent = taken);
      if not found then
        raise exception 'account % does not have the % micro-dollars that would be taken: nodes hold some, or the balance has changed',
          of_account, taken using errcode = 'PF002';
      end if;
    else
  end case;
  if not is_known then
    raise exception 'an event of kind % concerns a slot that is not known: %', event->>'kind', event using errcode = 'PF003';
  end if;
end $$;

-- Appends one transaction if `after` is still the newest. A locked row stops only this command, not those waiting for the head.
create function commit_events(of_node uuid, of_epoch int, after bigint, new_events jsonb, out of_sequence bigint, out of_time_ms bigint)
language plpgsql as $$
declare
  head fleet;
begin
  perform expect_epoch((select n from node n where id = of_node), of_node, of_epoch);
  select * into head from fleet for no key update;
  if head.sequence <> after then
    raise exception 'transaction % is the newest, not %', head.sequence, after using errcode = 'PF002';
  end if;
  of_sequence := head.sequence + 1;
  of_time_ms := greatest(head.time_ms, now_ms());
  perform set_config('lock_timeout', '250ms', true);
  perform apply_event(event) from jsonb_array_elements(new_events) with ordinality as e (event, place);
  insert into event (sequence, time_ms, events) values (of_sequence, of_time_ms, new_events);
  update fleet set sequence = of_sequence, time_ms = of_time_ms;
  perform pg_notify(current_schema(), 'committed ' || of_sequence);
end $$;

-- Recalls all leases of an account, and grants none for `recall_ms`.
create function recall_account(of_node uuid, of_epoch int, of_account int, recall_ms bigint, out free_micros bigint, out is_leased boolean)
language plpgsql set lock_timeout = '1s' as $$
begin
  perform expect_epoch((select n from node n where id = of_node), of_node, of_epoch);
  update account set recall_until_ms = now_ms() + recall_ms where slot = of_account
  returning credited - spent - leased, leased > 0 into free_micros, is_leased;
  if not found then raise exception 'account % is not known', of_account using errcode = 'PF003'; end if;
  if is_leased then
    insert into recall (node, account) select node, account from lease where account = of_account and micros > 0
    on conflict do nothing;
    perform notify_recalls(array[of_account]);
  end if;
end $$;

-- Returns transactions after a sequence and changed usage, in one state. A reading begins at `floor`, the oldest transaction that was
-- running at the last reading. Usage comes only after all events, which may open its keys.
create function read_changes(after bigint, floor xid8, events_max int) returns json language sql stable as $$
  with page as (
    select sequence, time_ms, events from event where sequence > after order by sequence limit events_max
  ), usage as (
    select key, queries from key_usage where (select count(*) from page) < events_max and changed_by >= floor
  )
  select json_build_object(
    'sequence', (select sequence from fleet),
    'committed', (select coalesce(json_agg(json_build_object('sequence', sequence, 'timeMs', time_ms, 'events', p.events)
      order by sequence), '[]') from page p),
    'usage', (select coalesce(json_agg(json_build_object('key', key, 'queries', queries)), '[]') from usage),
    'position', case when (select count(*) from page) < events_max then pg_snapshot_xmin(pg_current_snapshot())::text else floor::text end
  )
$$;
