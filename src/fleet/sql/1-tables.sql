-- The tables of a fleet. FLEET.md has the rules. Amounts are micro-dollars, times are milliseconds since 1970 by the database's clock,
-- accounts and keys are slots of the ledger, counts are arrays by usage class.
--
-- There are no foreign keys: their checks lock rows in an order of their own, and the functions of this folder write all rows.
-- Tables that are updated all the time leave room in their pages (fillfactor), so that an update need not touch indexes.

create table schema_version (version int not null);
insert into schema_version values (1);

-- One row: the head of the committed transactions. A commit holds its lock, so sequences become visible in order.
create table fleet (
  is_only boolean primary key default true check (is_only),
  id uuid not null default gen_random_uuid(),
  sequence bigint not null default 0,
  time_ms bigint not null default 0,
  -- The move from a ledger that has filled this fleet, and the sequence of `snapshot`: events follow it.
  filled_by uuid,
  snapshot_sequence bigint not null default 0,
  dashboard_node uuid
) with (fillfactor = 10);
insert into fleet default values;

-- The ledger that was moved here: payloads of its snapshot, as ledger/FORMAT.md has them.
create table snapshot (
  place int primary key,
  payload bytea not null
);

create table event (
  sequence bigint primary key,
  time_ms bigint not null,
  events jsonb not null
);

-- Accounts, and keys with limits of their own: those have windows and never money.
create table account (
  slot int primary key,
  -- Null for a key.
  id text,
  is_key boolean not null default false,
  credited bigint not null default 0,
  spent bigint not null default 0,
  leased bigint not null default 0 check (leased >= 0),
  -- No new leases until then: a command waits for what nodes return.
  recall_until_ms bigint not null default 0,
  is_limited boolean not null default false,
  per_minute bigint,
  per_hour bigint,
  per_day bigint,
  constraint never_negative check (credited - spent - leased >= 0)
) with (fillfactor = 70);

create table api_key (
  slot int primary key,
  account int not null,
  cap bigint,
  -- The UTC month, counted from January 1970, that the two amounts belong to.
  month int not null default 0,
  month_spent bigint not null default 0,
  month_leased bigint not null default 0 check (month_leased >= 0)
) with (fillfactor = 70);

create table node (
  id uuid primary key,
  epoch int not null default 1,
  -- The last start, which the node's folder knows too, and how many there were.
  start uuid,
  starts int not null default 0,
  -- False from the start of an epoch until the counts of the earlier ones have been reported.
  is_settled boolean not null default false,
  -- Set when its leases were given up. What it reports after that is forgiven.
  is_written_off boolean not null default false,
  -- Set when its folder was recovered: it does not serve again.
  is_gone boolean not null default false,
  seen_ms bigint not null,
  -- The last exchange of this epoch, and its answer.
  exchange_number bigint not null default 0,
  answer json,
  address text not null default '',
  version text not null default '',
  index_build text not null default '',
  -- The newest committed sequence that it says it has applied.
  applied bigint not null default 0
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- Credit of an account that a node may charge and has not reported as charged.
create table lease (
  account int,
  node uuid,
  micros bigint not null check (micros >= 0),
  primary key (account, node)
) with (fillfactor = 70);
create index lease_of_node on lease (node);

-- The same of a key's cap. What was granted for an earlier month than that of the key is void.
create table cap_lease (
  key int,
  node uuid,
  month int not null,
  micros bigint not null check (micros >= 0),
  primary key (key, node)
) with (fillfactor = 70);
create index cap_lease_of_node on cap_lease (node);

-- Admissions that a node has been granted for a minute and has neither used nor returned.
create table window_lease (
  account int,
  node uuid,
  minute bigint not null,
  unused bigint not null check (unused >= 0),
  primary key (account, node)
) with (fillfactor = 70);
create index window_lease_of_node on window_lease (node);

create table rate_window (
  account int primary key,
  minute bigint not null,
  hour bigint not null,
  day bigint not null,
  in_minute bigint not null,
  in_hour bigint not null,
  in_day bigint not null
) with (fillfactor = 70);

-- Nodes that are asked to return what they have leased of an account. Their next exchange takes the row.
create table recall (
  node uuid,
  account int,
  primary key (node, account)
);

-- Cumulative counts of a key by one node, over all its epochs.
create table node_usage (
  node uuid,
  key int,
  queries bigint[] not null,
  primary key (node, key)
) with (fillfactor = 70);

create table key_usage (
  key int primary key,
  queries bigint[] not null,
  -- The transaction of the last change. Transactions become visible in another order than they are numbered in: readers begin
  -- again at the oldest that was still running at their last reading.
  changed_by xid8 not null
) with (fillfactor = 70);
create index key_usage_changed on key_usage (changed_by, key);

create table key_hour (
  hour int,
  key int,
  queries bigint[] not null,
  primary key (hour, key)
) with (fillfactor = 70);

-- Leases whose node never came back, and usage that no balance covered after a restore: given to the customers.
create table write_off (
  id bigint generated always as identity primary key,
  node uuid not null,
  epoch int not null,
  account int not null,
  micros bigint not null,
  time_ms bigint not null
);
create index write_off_of_node on write_off (node);

-- The audit logs of all nodes, line by line, and the last line that a node has taken into its own.
create table audit (
  id bigint generated always as identity primary key,
  node uuid not null,
  time_ms bigint not null,
  line text not null
);
create index audit_time on audit (time_ms);

create table audit_reader (
  node uuid primary key,
  seen bigint not null
);

-- Rows of the dashboard: choices of alerts, messages that wait, saved cards. The value is JSON as the node wrote it.
create table dashboard_row (
  name text,
  key text,
  value text not null,
  primary key (name, key)
);
