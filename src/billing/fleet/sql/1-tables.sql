-- The tables of a fleet. FLEET.md has the rules. Amounts are micro-dollars, times milliseconds since 1970 by
-- the database's clock, accounts and keys slots of the ledger, `usage` a usage class.
--
-- There are no foreign keys: their checks would lock rows in another order.
-- Often updated tables leave room in their pages (fillfactor), so that an update need not touch indexes.

create table schema_version (version int not null);
insert into schema_version values (1);

-- One row: the head of the transactions. A commit holds its lock, so sequences become visible in order.
create table fleet (
  is_only boolean primary key default true check (is_only),
  id uuid not null default gen_random_uuid(),
  sequence bigint not null default 0,
  time_ms bigint not null default 0,
  -- Move of the ledger that filled this fleet, and the sequence of `snapshot`, which events follow.
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

-- Accounts and keys. The row of an account is the lock of its counters and leases, and of those of its keys.
create table holder (
  slot int primary key,
  -- The slot itself for an account.
  account int not null,
  -- Null for a key.
  id text,
  -- No credit is granted until then: a command waits for returned leases.
  recall_until_ms bigint not null default 0
) with (fillfactor = 70);

-- Kinds: 0 balance of an account, 1 monthly cap of a key, 2 minute, 3 hour and 4 day of a rate limit.
-- Balance and cap are micro-dollars, the others queries.
create table counter (
  holder int,
  kind int,
  period bigint not null default 0,
  -- The limit; for a balance, all credits less all debits. Null: counts, and limits nothing.
  most bigint,
  used bigint not null default 0,
  leased bigint not null default 0 check (leased >= 0),
  primary key (holder, kind),
  constraint never_negative check (kind <> 0 or most - used - leased >= 0)
) with (fillfactor = 70);

create table node (
  id uuid primary key,
  epoch int not null default 1,
  -- The last start, which the node's folder also knows, and the number of starts.
  start uuid,
  starts int not null default 0,
  -- False from the start of an epoch until the counts of earlier epochs are reported.
  is_settled boolean not null default false,
  -- Set when its leases were written off. Later reports are forgiven.
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
  -- The newest sequence that the node has reported as applied.
  applied bigint not null default 0,
  -- The last line of `audit` that the node has copied into its own log.
  audited bigint not null default 0
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- Part of a counter that a node may use, less what it has reported. A lease of another period is void.
create table lease (
  holder int,
  kind int,
  node uuid,
  period bigint not null,
  amount bigint not null check (amount >= 0),
  primary key (holder, kind, node)
) with (fillfactor = 70);
create index lease_of_node on lease (node);

-- Recalls of an account's leases. The next exchange of the node takes the row.
create table recall (
  node uuid,
  account int,
  primary key (node, account)
);

-- Queries of a key by one node, over all its epochs.
create table node_usage (
  node uuid,
  key int,
  usage int,
  queries bigint not null,
  primary key (node, key, usage)
) with (fillfactor = 70);

create table key_usage (
  key int,
  usage int,
  queries bigint not null,
  -- The hour of the last use.
  hour bigint not null,
  -- The transaction of the last change. Transactions do not become visible in the order of their numbers. So
  -- a reader begins at the oldest one that was running at its last reading.
  changed_by xid8 not null,
  primary key (key, usage)
) with (fillfactor = 70);
create index key_usage_changed on key_usage (changed_by);

-- Queries in an hour (`hours` is 1) or a UTC day (24). `start` is its number since 1970.
create table key_history (
  hours int,
  start bigint,
  key int,
  usage int,
  queries bigint not null,
  primary key (hours, start, key, usage)
) with (fillfactor = 70);

-- Leases of lost nodes, and usage that no balance covered after a restore: given to the customers.
create table write_off (
  id bigint generated always as identity primary key,
  node uuid not null,
  epoch int not null,
  account int not null,
  micros bigint not null,
  time_ms bigint not null
);
create index write_off_of_node on write_off (node);

-- Lines of all nodes' audit logs.
create table audit (
  id bigint generated always as identity primary key,
  node uuid not null,
  time_ms bigint not null,
  line text not null
);
create index audit_time on audit (time_ms);

-- Rows of the dashboard: choices of alerts, waiting messages, saved cards. The value is the node's JSON.
create table dashboard_row (
  name text,
  key text,
  value text not null,
  primary key (name, key)
);
