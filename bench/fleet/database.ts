/**
 * Measures the leases and reports that one PostgreSQL sustains, and the time of exchanges of many accounts.
 *
 *   node dist/test/support/serve-postgres.js &        prints the address of a new server
 *   node dist/bench/fleet/database.js <address> [accounts] [seconds of each row]
 *
 * Nodes are loops of this process, each with one exchange in flight. The schema is removed afterwards. Each node draws from a working
 * set of 2,000 accounts, so several nodes sometimes want the same account.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { type FleetDatabase, openFleetDatabase } from '../../src/billing/fleet/fleet-database.ts'
import { BALANCE, type Exchange, type NodeIdentity } from '../../src/billing/fleet/messages.ts'
import { QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { randomFrom } from '../measure.ts'
import { MACHINE } from '../report.ts'

const PRICE = QUERY_PRICE_MICROS
const WORKING_SET = 2000
/** More queries than one row of the table spends. */
const LEASED_QUERIES = 1_000_000

const [url, accountsText = '200000', secondsText = '4'] = process.argv.slice(2)
const accounts = Number(accountsText)
const seconds = Number(secondsText)
if (url === undefined) throw new Error('name the address of a PostgreSQL: postgres://…')
if (!(accounts >= WORKING_SET))
  throw new Error(`at least ${WORKING_SET} accounts are expected, not ${accountsText}`)

const schema = `bench_${process.pid}`
/** Fills the schema: account `2 n` has the key `2 n + 1`. */
async function fill(client: pg.Client): Promise<void> {
  await client.query(`set search_path = ${schema}`)
  await client.query(
    'insert into holder (slot, account) select n, n / 2 * 2 from generate_series(0, 2 * $1::int - 1) n',
    [accounts],
  )
  await client.query(
    `insert into counter (holder, kind, most) select n, n % 2, case n % 2 when 0 then 4e15::bigint end
      from generate_series(0, 2 * $1::int - 1) n`,
    [accounts],
  )
  await client.query('vacuum analyze')
}

async function measure(store: FleetDatabase, nodes: number, reports: number, wants: number): Promise<void> {
  const loops: Loop[] = []
  // In turn: 64 nodes that lease 2,000 accounts each at once wait for each other's locks for longer than an exchange may.
  for (let at = 0; at < nodes; at++) loops.push(await Loop.begin(store, at, reports > 0))
  const latencies: number[] = []
  const endMs = performance.now() + seconds * 1000
  const startMs = performance.now()
  await Promise.all(
    loops.map(async loop => {
      while (performance.now() < endMs) latencies.push(await loop.exchange(reports, wants))
    }),
  )
  const tookSeconds = (performance.now() - startMs) / 1000
  latencies.sort((a, b) => a - b)
  const quantile = (share: number) => latencies[Math.floor(share * (latencies.length - 1))].toFixed(1)
  const rate = latencies.length / tookSeconds
  const cells = [
    nodes,
    reports,
    wants,
    rate.toFixed(0),
    quantile(0.5),
    quantile(0.99),
    (rate * (reports + wants)).toFixed(0),
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

class Loop {
  readonly #store: FleetDatabase
  readonly #identity: NodeIdentity
  readonly #random: () => number
  readonly #accounts: number[]
  readonly #used = new Map<number, number>()
  #number = 0

  private constructor(store: FleetDatabase, identity: NodeIdentity, seed: number) {
    this.#store = store
    this.#identity = identity
    this.#random = randomFrom(seed)
    const slots = new Set<number>()
    while (slots.size < Math.min(WORKING_SET, accounts)) slots.add(2 * Math.floor(this.#random() * accounts))
    this.#accounts = [...slots]
  }

  static async begin(store: FleetDatabase, seed: number, isLeased: boolean): Promise<Loop> {
    const node = randomUUID()
    const epoch = await store.begin(node)
    await store.settle({ node, epoch }, [])
    const loop = new Loop(store, { node, epoch }, seed + 1)
    if (isLeased)
      await loop.#send({ wants: loop.#accounts.map(account => loop.#want(account, LEASED_QUERIES)) })
    return loop
  }

  /** Sends an exchange with random accounts. Returns its milliseconds. */
  async exchange(reports: number, wants: number): Promise<number> {
    const reported = this.#draw(reports).map(account => {
      const queries = (this.#used.get(account) ?? 0) + 1
      this.#used.set(account, queries)
      return { key: account + 1, usage: 0, queries }
    })
    const startMs = performance.now()
    await this.#send({ reports: reported, wants: this.#draw(wants).map(account => this.#want(account, 100)) })
    return performance.now() - startMs
  }

  #draw(count: number): number[] {
    const drawn = new Set<number>()
    while (drawn.size < count) drawn.add(this.#accounts[Math.floor(this.#random() * this.#accounts.length)])
    return [...drawn]
  }

  #want(account: number, queries: number): Exchange['wants'][number] {
    return { account, holder: account, kind: BALANCE, needed: queries * PRICE, others: 0, ahead: 0 }
  }

  async #send(parts: Partial<Exchange>): Promise<void> {
    const number = ++this.#number
    await this.#store.exchange(this.#identity, {
      number,
      ...{ reports: [], taken: [], wants: [] },
      ...parts,
    })
  }
}

const client = new pg.Client({ connectionString: url })
await client.connect()
const store = await openFleetDatabase(url, { schema, connections: 64, queryMs: 60_000 })
try {
  console.log(MACHINE)
  const { rows } = await client.query<{ server_version: string }>('show server_version')
  await fill(client)
  console.log(`PostgreSQL ${rows[0]?.server_version}, ${accounts} accounts, ${seconds} s for each row\n`)
  console.log('| nodes | reports in an exchange | wants | exchanges/s | median ms | 99th of 100 | rows/s |')
  console.log('|---|---|---|---|---|---|---|')
  for (const nodes of [1, 4, 16, 64]) await measure(store, nodes, 0, 1)
  for (const nodes of [1, 4, 16, 64]) await measure(store, nodes, 1, 0)
  for (const [reports, wants] of [
    [10, 2],
    [100, 20],
    [1000, 0],
    [1000, 200],
    [1000, 1000],
  ]) {
    for (const nodes of [1, 4]) await measure(store, nodes, reports, wants)
  }
} finally {
  await store.close()
  await client.query(`drop schema ${schema} cascade`)
  await client.end()
}
