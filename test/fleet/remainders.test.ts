/**
 * Balances of every remainder modulo the price, after a restore of the database: what was answered is booked in whole queries, as far as
 * the balances go, every node starts, and accounts that cannot pay for a query answer 402.
 */
import t, { type Test } from 'tap'
import type { NodeIdentity } from '../../src/fleet/store.ts'
import { stopSharedPostgres } from '../support/postgres.ts'
import { storm } from '../support/threads.ts'
import { Fleet, type FleetNode } from './fleet.ts'
import { errorOf, joined, keyOf, opening, usedOf } from './support.ts'
import { TestDatabase } from './test-database.ts'

const PRICE_MICROS = 28
const HOUR_MS = 3_600_000
const REMAINDERS = Array.from({ length: PRICE_MICROS }, (_, remainder) => remainder)

t.setTimeout(300_000)
t.teardown(stopSharedPostgres)

/** A node, and for each remainder an account that pays for 100 queries and has the remainder besides. */
async function remainders(t: Test): Promise<{ database: TestDatabase; node: NodeIdentity }> {
  const database = await TestDatabase.open()
  t.teardown(() => database.close())
  const node = await joined(database.store)
  for (const remainder of REMAINDERS) {
    const events = opening(2 * remainder, 100 * PRICE_MICROS + remainder)
    await database.store.commit(node, remainder, [...events, keyOf(2 * remainder + 1, 2 * remainder)])
  }
  return { database, node }
}

async function expectAllSpent(t: Test, database: TestDatabase): Promise<void> {
  const rows = await database.query('select spent::int, leased::int from account order by slot')
  t.same(
    rows,
    REMAINDERS.map(() => ({ spent: 100 * PRICE_MICROS, leased: 0 })),
  )
  t.same(await database.faults(), [])
}

t.test('a journal settles whole queries, and what is given up is counted in whole queries', async t => {
  const { database, node } = await remainders(t)
  const epoch = await database.store.begin(node.node)
  const counts = REMAINDERS.map(remainder => usedOf(2 * remainder + 1, 130))
  const found: unknown[] = []
  const settle = () => database.store.settle({ ...node, epoch }, counts, lacking => found.push(lacking))
  await settle()
  const queries = PRICE_MICROS * REMAINDERS.length
  t.same(found, [{ coveredMicros: 100 * queries, forgivenMicros: 30 * queries }])
  await expectAllSpent(t, database)
  const entries = await database.query('select account, micros::int from write_off order by account')
  t.same(
    entries,
    REMAINDERS.map(remainder => ({ account: 2 * remainder, micros: 30 * PRICE_MICROS })),
  )
  await settle()
  t.equal(found.length, 1, 'once')
})

t.test('a start that fails books nothing and is no sign of life', async t => {
  const { database, node } = await remainders(t)
  const { store } = database
  await database.setClock(23 * HOUR_MS)
  const counts = [usedOf(1, 130), usedOf(1001, 1)]
  for (let attempt = 0; attempt < 3; attempt++) {
    const epoch = await store.begin(node.node)
    t.match(String(await errorOf(store.settle({ ...node, epoch }, counts, () => {}))), /not known/)
  }
  t.same(await database.query('select from account where spent > 0 or leased > 0'), [])
  t.same((await store.status()).writeOffs, [])
  await database.setClock(24 * HOUR_MS)
  t.same(await store.writeOff(node.node), { accounts: 0, micros: 0 })
})

t.test('a dump is restored', async t => {
  const fleet = await Fleet.start(t, 3)
  const customers = await openCustomers(fleet)
  for (const customer of customers) for (const node of fleet.nodes) await spend(node, customer, 50, 4)
  await fleet.dump()
  await fleet.withAccounts(async accounts => {
    for (const { id, isCredited } of customers)
      if (isCredited)
        await accounts.credit({ account: id, micros: 301, kind: 'operator', reference: `${id} again` })
  })
  await spendAll(t, fleet, customers)
  // One is killed, the others go on until they see what has become of their database.
  await fleet.nodes[0].server.stop('SIGKILL')
  await fleet.restore()
  await Promise.all(fleet.nodes.map(({ server }) => server.stop()))
  for (const node of fleet.nodes) await fleet.restart(node)

  const givenUp = new Map<string, number>()
  for (const { id, micros } of await fleet.postgres.query(
    `select v->>'id' as id, sum(w.micros)::int as micros from postrie.write_off w, postrie.event e, jsonb_array_elements(e.events) v
      where v->>'kind' = 'account' and (v->>'slot')::int = w.account group by 1`,
  ))
    givenUp.set(String(id), Number(micros))
  for (const { id, answered } of customers) {
    const { spent } = await fleet.booked(id)
    if (spent + (givenUp.get(id) ?? 0) !== answered * PRICE_MICROS)
      t.fail(`${id}: ${answered} answered, ${spent} spent, ${givenUp.get(id)} given up`)
  }
  await spendAll(t, fleet, customers)
  for (const { server } of fleet.nodes) t.equal(await server.stop(), 0, server.output.stderr)
  for (const { id, remainder } of customers) {
    const { credited, spent, leased } = await fleet.booked(id)
    t.same({ left: credited - spent, leased }, { left: remainder, leased: 0 })
  }
})

interface Customer {
  id: string
  key: string
  /** Remainder of the balance, without the credit that the restore loses. */
  remainder: number
  /** Gets a credit after the dump. */
  isCredited: boolean
  /** Queries that were answered with 200. */
  answered: number
}

/** Opens two accounts of every remainder. */
async function openCustomers(fleet: Fleet): Promise<Customer[]> {
  const customers: Customer[] = []
  await fleet.withAccounts(async accounts => {
    for (const isCredited of [false, true])
      for (const remainder of REMAINDERS) {
        const { id } = await accounts.createAccount({ email: `${remainder}-${isCredited}@example.com` })
        const micros = 10 * PRICE_MICROS + remainder
        await accounts.credit({ account: id, micros, kind: 'operator', reference: id })
        const { key } = await accounts.createKey(id)
        customers.push({ id, key, remainder, isCredited, answered: 0 })
      }
  })
  return customers
}

/** Sends batches until each account has been refused with 402 by each node. */
async function spendAll(t: Test, fleet: Fleet, customers: readonly Customer[]): Promise<void> {
  for (const queries of [150, 10, 1])
    for (const node of fleet.nodes)
      for (const customer of customers) {
        const status = await spend(node, customer, queries, Number.POSITIVE_INFINITY)
        if (status !== 402) t.fail(`${status} for ${queries} queries of ${customer.id}`)
      }
}

/** Sends batches of `queries` until one is not answered, or `batchesMax` have been. @returns the last status */
async function spend(
  node: FleetNode,
  customer: Customer,
  queries: number,
  batchesMax: number,
): Promise<number> {
  const records = Array.from({ length: queries }, () => ({ postalCode: '90210', countryCode: 'US' }))
  const request = { path: '/api/validate-bulk', body: JSON.stringify({ apiKey: customer.key, records }) }
  let status = 200
  let left = batchesMax
  const next = () => (status === 200 && left-- > 0 ? request : undefined)
  await storm(node.port, 1, next, (_request, answer) => {
    status = answer?.status ?? 0
    if (status === 200) customer.answered += queries
  })
  return status
}
