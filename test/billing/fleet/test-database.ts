/** A store on PostgreSQL with a clock that the test sets. It is emptied between two sequences. */
import pg from 'pg'
import {
  type FleetDatabase,
  openFleetDatabase,
  type PostgresOptions,
} from '../../../src/billing/fleet/fleet-database.ts'
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

export class TestDatabase {
  readonly store: FleetDatabase
  readonly schema: string
  readonly #client: pg.Client

  private constructor(store: FleetDatabase, schema: string, client: pg.Client) {
    this.store = store
    this.schema = schema
    this.#client = client
  }

  static async open(options: PostgresOptions = {}): Promise<TestDatabase> {
    const server = await sharedPostgres()
    const schema = freshSchema()
    const store = await openFleetDatabase(server.url, { schema, ...options })
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(`set search_path = ${schema}`)
    await client.query(`
      create table test_clock (ms bigint);
      insert into test_clock values (0);
      create or replace function now_ms() returns bigint language sql volatile as 'select ms from test_clock';
      ${TABLES.map(table => `create table saved_${table} (like ${table})`).join(';')}`)
    return new TestDatabase(store, schema, client)
  }

  async setClock(ms: number): Promise<void> {
    await this.#client.query('update test_clock set ms = $1', [ms])
  }

  /** Empties the store and keeps the name of the fleet. */
  async empty(): Promise<void> {
    await this.#onTables(table => `delete from ${table}`)
    await this.#client.query('update fleet set sequence = 0, time_ms = 0')
  }

  /** Keeps the present rows for `restore`. */
  save(): Promise<void> {
    return this.#onTables(table => `delete from saved_${table}; insert into saved_${table} table ${table}`)
  }

  /** Replaces the rows by the kept ones, as an older copy of the database has them. */
  restore(): Promise<void> {
    return this.#onTables(
      table => `delete from ${table}; insert into ${table} overriding system value table saved_${table}`,
    )
  }

  async #onTables(statement: (table: string) => string): Promise<void> {
    await this.#client.query(TABLES.map(statement).join(';'))
  }

  async faults(): Promise<string[]> {
    const { rows } = await this.#client.query<{ fault: string }>(FAULTS)
    return rows.map(({ fault }) => fault)
  }

  async query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return (await this.#client.query<Record<string, unknown>>(text, values)).rows
  }

  async close(): Promise<void> {
    await this.store.close()
    await this.#client.end()
  }
}
