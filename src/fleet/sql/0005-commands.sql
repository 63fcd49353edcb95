-- What commands commit, how they call leases back, and how nodes read what others have done.

-- The effect of one event of a command on money, limits and caps. `event-effects.ts` says which events have one.
create function apply_event(event jsonb) returns void language plpgsql as $$
declare
  taken bigint;
  of_account int := event->>'account';
  is_known boolean := true;
begin
  case event->>'kind'
    when 'account' then
      insert into account (slot) values ((event->>'slot')::int);
    when 'key' then
      insert into api_key (slot, account) values ((event->>'slot')::int, of_account);
    when 'cap' then
      perform lock_accounts(array(select account from api_key where slot = (event->>'key')::int));
      update api_key set cap = (event->>'micros')::bigint,
        month_leased = case when event->>'micros' is null then 0 else month_leased end
      where slot = (event->>'key')::int;
      is_known := found;
      if event->>'micros' is null then delete from cap_lease where key = (event->>'key')::int; end if;
    when 'limits' then
      update account set is_limited = jsonb_typeof(event->'limits') = 'object', per_minute = (event->'limits'->>'perMinute')::bigint,
        per_hour = (event->'limits'->>'perHour')::bigint, per_day = (event->'limits'->>'perDay')::bigint
      where slot = of_account;
      is_known := found;
    when 'credit' then
      update account set credited = credited + (event->>'micros')::bigint - (event->>'debtPaidMicros')::bigint where slot = of_account;
      is_known := found;
    when 'adjust', 'closed' then
      taken := event->>'takenMicros';
      perform lock_accounts(array[of_account]);
      update account set credited = credited - taken where slot = of_account and credited - spent - leased >= taken;
      if not found then
        raise exception 'account % has less free than the % micro-dollars that would be taken: nodes hold the rest, or it was spent',
          of_account, taken using errcode = 'PF002';
      end if;
    else
      raise exception 'an event of kind % has no effect here', event->>'kind' using errcode = 'PF003';
  end case;
  if not is_known then
    raise exception 'an event of kind % concerns a slot that is not known: %', event->>'kind', event using errcode = 'PF003';
  end if;
end $$;

-- Appends one transaction if `after` is still the newest. `effects` are those of its events that `apply_event` knows.
create function commit_events(of_node uuid, of_epoch int, after bigint, new_events jsonb, effects jsonb, out of_sequence bigint, out of_time_ms bigint)
language plpgsql as $$
declare
  head fleet;
  present_epoch int := (select epoch from node where id = of_node);
begin
  if present_epoch is distinct from of_epoch then
    raise exception 'epoch % of node % has ended: epoch % is the present one', of_epoch, of_node, present_epoch using errcode = 'PF001';
  end if;
  select * into head from fleet for no key update;
  if head.sequence <> after then
    raise exception 'transaction % is the newest, not %', head.sequence, after using errcode = 'PF002';
  end if;
  of_sequence := head.sequence + 1;
  of_time_ms := greatest(head.time_ms, now_ms());
  perform apply_event(event) from jsonb_array_elements(effects) with ordinality as e (event, place);
  insert into event (sequence, time_ms, events) values (of_sequence, of_time_ms, new_events);
  update fleet set sequence = of_sequence, time_ms = of_time_ms;
  perform pg_notify(current_schema(), 'committed ' || of_sequence);
end $$;

-- Asks all nodes to return what they hold of an account, and grants nothing of it for `recall_ms`.
create function recall_account(of_node uuid, of_epoch int, of_account int, recall_ms bigint, out free_micros bigint, out is_held boolean)
language plpgsql as $$
declare
  present_epoch int := (select epoch from node where id = of_node);
begin
  if present_epoch is distinct from of_epoch then
    raise exception 'epoch % of node % has ended: epoch % is the present one', of_epoch, of_node, present_epoch using errcode = 'PF001';
  end if;
  update account set recall_until_ms = now_ms() + recall_ms where slot = of_account
  returning credited - spent - leased, leased > 0 into free_micros, is_held;
  if not found then raise exception 'account % is not known', of_account using errcode = 'PF003'; end if;
  if is_held then
    insert into recall (node, account) select node, account from lease where account = of_account and granted > used
    on conflict do nothing;
    perform notify_recalls(array[of_account]);
  end if;
end $$;

-- Transactions after a sequence, and the usage of keys that has changed: one page of both, of one moment.
--
-- Usage is read in the order of (changed_by, key), in cycles. A cycle begins at `floor`: the oldest transaction that was running
-- when the previous one began. Long cycles have several pages, each of which continues after the last row of the one before.
create function read_changes(after bigint, floor xid8, past_xid xid8, past_key int, events_max int, keys_max int)
returns table (head bigint, events json, usage json, next_floor text, next_xid text, next_key int) language sql stable as $$
  with event_page as (
    select sequence, time_ms, e.events from event e where sequence > after order by sequence limit events_max
  ), usage_page as (
    select changed_by, key, queries from key_usage
    -- Usage of keys that the reader does not know yet must wait for their transactions.
    where (select count(*) from event_page) < events_max
      and changed_by >= floor and (past_xid is null or (changed_by, key) > (past_xid, past_key))
    order by changed_by, key limit keys_max
  ), last_row as (
    select changed_by, key from usage_page order by changed_by desc, key desc limit 1
  )
  select
    (select sequence from fleet),
    (select coalesce(json_agg(json_build_array(sequence, time_ms, p.events) order by sequence), '[]') from event_page p),
    (select coalesce(json_agg(json_build_array(key, queries) order by changed_by, key), '[]') from usage_page),
    pg_snapshot_xmin(pg_current_snapshot())::text,
    (select changed_by::text from last_row),
    (select key from last_row)
$$;
