-- The folder of a node may be copied with its disk. Each start leaves a word in the folder and here, so the next start of any other
-- copy is noticed: two journals that count for one node would hide each other's usage.
create table node_start (
  node uuid primary key,
  start uuid not null,
  -- How many there were, so that a database that was replaced by an older copy takes no folder for a copy.
  number int not null
);

-- True when the last start of the node was the one that its folder knows, or this one repeated; it is then the last start. Also when
-- the folder has seen more starts than the database.
create function claim_node(of_node uuid, last uuid, next uuid, next_number int) returns boolean language plpgsql as $$
begin
  insert into node_start as s (node, start, number) values (of_node, next, next_number)
  on conflict (node) do update set start = excluded.start, number = excluded.number
  where s.start in (last, next) or s.number < excluded.number - 1;
  return found;
end $$;
