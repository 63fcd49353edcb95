/** A store on PostgreSQL with a clock that the test sets. It is emptied between two sequences. */
import pg from 'pg'
import type { Test } from 'tap'
import { openFleetDatabase, type PostgresOptions } from '../../../src/billing/fleet/fleet-database.ts'
import { freshSchema, sharedPostgres } from '../../support/postgres.ts'

/** Tables of a fleet that change. They are emptied by `delete`, since `truncate` would end the plans of all connections. */
const TABLES =
  'event, holder, counter, node, lease, node_usage, key_usage, key_history, recall, write_off'.split(', ')

/** Query for inconsistencies: one sentence per row, no row while all is well. */
const FAULTS = `
  select 'counter ' || kind || ' of ' || holder || ' has ' || leased || ' leased, and its leases add up to ' || held as fault from (
    select holder, kind, leased, (select coalesce(sum(amount), 0) from lease l
      where l.holder = c.holder and l.kind = c.kind and l.period = c.period) as held from counter c
  ) as counters where leased <> held
  union all
  select 'account ' || holder || ' is below zero' from counter where kind = 0 and most - used - leased < 0
  union all
  select 'key ' || key || ' has other usage than its nodes' from (
    select key, usage, queries, (select coalesce(sum(queries), 0) from node_usage n where n.key = u.key and n.usage = u.usage) as of_nodes
    from key_usage u
  ) as usage where queries > of_nodes
`

export type TestDatabase = Awaited<ReturnType<typeof openTestDatabase>>

/** Opens a store in a schema of its own until the test ends. */
export async function openTestDatabase(t: Test, options: PostgresOptions = {}) {
  const server = await sharedPostgres()
  const schema = freshSchema()
  const store = await openFleetDatabase(server.url, { schema, ...options })
  t.teardown(() => store.close())
  const client = new pg.Client({ connectionString: server.url })
  t.teardown(() => client.end())
  await client.connect()
  await client.query(`set search_path = ${schema}`)
  await client.query(`
    create table test_clock (ms bigint);
    insert into test_clock values (0);
    create or replace function now_ms() returns bigint language sql volatile as 'select ms from test_clock';
    ${TABLES.map(table => `create table saved_${table} (like ${table})`).join(';')}`)
  const onTables = async (statement: (table: string) => string) => {
    await client.query(TABLES.map(statement).join(';'))
  }
  const query = async (text: string, values: unknown[] = []) =>
    (await client.query<Record<string, unknown>>(text, values)).rows
  return {
    store,
    schema,
    query,
    setClock: (ms: number) => query('update test_clock set ms = $1', [ms]),
    /** Empties the store and keeps the name of the fleet. */
    async empty() {
      await onTables(table => `delete from ${table}`)
      await query('update fleet set sequence = 0, time_ms = 0')
    },
    /** Keeps the present rows for `restore`. */
    save: () => onTables(table => `delete from saved_${table}; insert into saved_${table} table ${table}`),
    /** Replaces the rows by the kept ones, as an older copy of the database has them. */
    restore: () =>
      onTables(
        table => `delete from ${table}; insert into ${table} overriding system value table saved_${table}`,
      ),
    faults: async () => (await query(FAULTS)).map(({ fault }) => String(fault)),
  }
}
