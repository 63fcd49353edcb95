-- The tables of a fleet. FLEET.md has the rules. Amounts are micro-dollars, times are milliseconds since 1970 by the database's clock,
-- accounts and keys are slots of the ledger, counts are arrays by usage class.
--
-- There are no foreign keys: their checks would lock rows in another order. Only the functions of this folder write rows.
-- Often updated tables leave room in their pages (fillfactor), so that an update need not touch indexes.

create table schema_version (version int not null);
insert into schema_version values (1);

-- One row: the head of the committed transactions. A commit holds its lock, so sequences become visible in order.
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

-- Accounts, and keys with their own limits. A key has windows here, and no money.
create table account (
  slot int primary key,
  -- Null for a key.
  id text,
  is_key boolean not null default false,
  credited bigint not null default 0,
  spent bigint not null default 0,
  leased bigint not null default 0 check (leased >= 0),
  -- No new leases until then: a command waits for returned leases.
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
  applied bigint not null default 0
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200);

-- Credit of an account that a node may charge, less its reports.
create table lease (
  account int,
  node uuid,
  micros bigint not null check (micros >= 0),
  primary key (account, node)
) with (fillfactor = 70);
create index lease_of_node on lease (node);

-- Part of a key's cap that a node may charge. A grant of an earlier month is void.
create table cap_lease (
  key int,
  node uuid,
  month int not null,
  micros bigint not null check (micros >= 0),
  primary key (key, node)
) with (fillfactor = 70);
create index cap_lease_of_node on cap_lease (node);

-- Admissions granted to a node for a minute, neither used nor returned.
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

-- Recalls of an account's leases. The next exchange of the node takes the row.
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
  -- The transaction of the last change. Transactions do not become visible in the order of their numbers. So a reader begins
  -- at the oldest one that was running at its last reading.
  changed_by xid8 not null
) with (fillfactor = 70);
create index key_usage_changed on key_usage (changed_by, key);

create table key_hour (
  hour int,
  key int,
  queries bigint[] not null,
  primary key (hour, key)
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

-- Lines of all nodes' audit logs, and the last line that a node has copied into its own log.
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

-- Rows of the dashboard: choices of alerts, waiting messages, saved cards. The value is the node's JSON.
create table dashboard_row (
  name text,
  key text,
  value text not null,
  primary key (name, key)
);
