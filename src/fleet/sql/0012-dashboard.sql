-- The dashboard of a fleet is at one node, which does what must happen once.
alter table fleet add column dashboard_node uuid;

-- Gives the dashboard to a node that starts, unless another one has it that may come back. Returns whose it is.
create function claim_dashboard(of_node uuid, of_epoch int, out holder uuid, out holder_address text) language plpgsql as $$
begin
  perform enter(of_node, of_epoch);
  update fleet set dashboard_node = of_node
  where not exists (select from node n where n.id = dashboard_node and not n.is_written_off and not n.is_folded);
  select n.id, n.address into holder, holder_address from fleet f join node n on n.id = f.dashboard_node;
end $$;

-- Gives it to another node, whose next start takes it.
create function move_dashboard(to_node uuid, live_ms bigint) returns void language plpgsql as $$
declare
  present node;
begin
  select n.* into present from fleet f join node n on n.id = f.dashboard_node;
  if not exists (select from node where id = to_node) then
    raise exception 'node % is not known', to_node using errcode = 'PF003';
  elsif present.id <> to_node and now_ms() - present.seen_ms < live_ms then
    raise exception 'node % has the dashboard and was heard of % s ago: stop it, and wait until it has been silent for % s',
      present.id, (now_ms() - present.seen_ms) / 1000, live_ms / 1000 using errcode = 'PF003';
  end if;
  update fleet set dashboard_node = to_node;
end $$;

create or replace function read_status(live_ms bigint, write_offs_max int) returns json language sql stable as $$
  select (read_status_of_nodes(live_ms, write_offs_max)::jsonb || jsonb_build_object(
    'accounts', (select count(*) from account where not is_key),
    'dashboard', dashboard_node,
    'moved', case when moved_by is not null then jsonb_build_object('timeMs', moved_ms, 'folder', moved_to) end))::json
  from fleet
$$;
