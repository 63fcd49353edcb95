-- The audit log of all nodes, line by line as a node writes them. The node with the dashboard takes those of the others into its own.
create table audit (
  id bigint generated always as identity primary key,
  node uuid not null,
  time_ms bigint not null,
  line text not null
);
create index audit_time on audit (time_ms);

-- The last line that a node has taken.
create table audit_reader (
  node uuid primary key,
  seen bigint not null
);

-- One after the other, so that lines become visible in the order of their numbers: a reader misses none.
create function add_audit(of_node uuid, lines text[]) returns void language plpgsql as $$
begin
  lock table audit in share row exclusive mode;
  insert into audit (node, time_ms, line) select of_node, now_ms(), line from unnest(lines) with ordinality as l (line, place) order by place;
end $$;

-- The next lines of other nodes, the oldest first, and the number to mark as seen once they have been taken.
create function read_audit(of_node uuid, lines_max int, out lines text[], out upto bigint) language sql stable as $$
  select coalesce(array_agg(line order by id), '{}'), max(id) from (
    select id, line from audit where node <> of_node and id > coalesce((select seen from audit_reader r where r.node = of_node), 0)
    order by id limit lines_max
  ) as page
$$;

create function audit_seen(of_node uuid, upto bigint) returns void language sql as $$
  insert into audit_reader as r (node, seen) values (of_node, upto)
  on conflict (node) do update set seen = greatest(r.seen, excluded.seen)
$$;
