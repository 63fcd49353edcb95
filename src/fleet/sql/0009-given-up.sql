-- A node whose leases were given up while it was silent is told so, and takes its next epoch without a restart. One whose epoch was
-- raised by its own next start, or by a move, is refused as before.
create or replace function enter(of_node uuid, of_epoch int) returns node language plpgsql as $$
declare
  me node;
begin
  select * into me from node where id = of_node for no key update;
  if me.id is null then
    raise exception 'node % is not known: it must begin first', of_node using errcode = 'PF001';
  elsif me.epoch = of_epoch + 1 and me.is_written_off then
    raise exception 'node % was silent for so long that its leases of epoch % were given up: it must begin again', of_node, of_epoch
      using errcode = 'PF004';
  elsif me.epoch <> of_epoch then
    raise exception 'epoch % of node % has ended: epoch % is the present one', of_epoch, of_node, me.epoch using errcode = 'PF001';
  end if;
  return me;
end $$;
