-- What the node with the dashboard keeps besides accounts: choices of alerts, messages that wait, saved cards. One row for each account
-- or message, whose value is JSON as the node wrote it.
create table dashboard_row (
  name text,
  key text,
  value text not null,
  primary key (name, key)
);

-- Names whose rows were in files of a node before. The files of any other node are older.
create table dashboard_carried (
  name text primary key,
  node uuid not null,
  time_ms bigint not null
);

-- Only the node that has the dashboard changes them: one that was stopped while the dashboard moved must not bring back what it knew,
-- and ends. One that begins its next epoch tries again.
create function expect_dashboard(of_node uuid, of_epoch int) returns void language plpgsql as $$
declare
  holder uuid;
begin
  select dashboard_node into holder from fleet for share;
  if holder is distinct from of_node then
    raise exception 'node % has the dashboard now, and node % has had it: start that one again', holder, of_node using errcode = 'PF001';
  elsif not exists (select from node where id = of_node and epoch = of_epoch) then
    raise exception 'epoch % of node % has ended', of_epoch, of_node using errcode = 'PF003';
  end if;
end $$;

create function read_dashboard_rows(of_name text, after_key text, rows_max int) returns json language sql stable as $$
  select coalesce(json_agg(json_build_array(key, value) order by key), '[]') from (
    select key, value from dashboard_row where name = of_name and (after_key is null or key > after_key) order by key limit rows_max
  ) as page
$$;

-- `[[key, value]]`; a row whose value is null goes.
create function write_dashboard_rows(of_node uuid, of_epoch int, of_name text, changes json) returns void language plpgsql as $$
begin
  perform expect_dashboard(of_node, of_epoch);
  delete from dashboard_row d using json_array_elements(changes) as c (pair)
  where d.name = of_name and d.key = c.pair->>0 and c.pair->>1 is null;
  insert into dashboard_row (name, key, value)
  select of_name, pair->>0, pair->>1 from json_array_elements(changes) as c (pair) where pair->>1 is not null order by 2
  on conflict (name, key) do update set value = excluded.value;
end $$;

-- Takes over the rows of a file, unless those of one were taken over before: then false, and nothing has changed. Newer rows stay.
create function carry_dashboard_rows(of_node uuid, of_epoch int, of_name text, rows json) returns boolean language plpgsql as $$
begin
  perform expect_dashboard(of_node, of_epoch);
  insert into dashboard_carried (name, node, time_ms) values (of_name, of_node, now_ms()) on conflict do nothing;
  if not found then return false; end if;
  insert into dashboard_row (name, key, value) select of_name, pair->>0, pair->>1 from json_array_elements(rows) as r (pair)
  on conflict do nothing;
  return true;
end $$;
