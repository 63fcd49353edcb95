-- A command that has taken money from an account wants nothing more of it: nodes may lease it again at once, instead of answering 503
-- until the recall would have ended by itself.
create function end_recall() returns trigger language plpgsql as $$
begin
  new.recall_until_ms := 0;
  return new;
end $$;

-- Only these commands change what was credited without raising it.
create trigger recall_ends before update of credited on account
  for each row when (new.credited <= old.credited) execute function end_recall();
