/** The store on PostgreSQL as time passes, by a clock that the test sets. */

import t, { type Test } from 'tap'
import { RejectedError } from '../../../src/billing/fleet/database-errors.ts'
import {
  FLEET_DAILY_DAYS,
  FLEET_HOURLY_DAYS,
  WRITE_OFF_MS,
} from '../../../src/billing/fleet/fleet-database.ts'
import type { NodeIdentity } from '../../../src/billing/fleet/messages.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { stopSharedPostgres } from '../../support/postgres.ts'
import { accountEvents, errorOf, exchangeOf, fill, joinFleet, keyOf, usedOf, wantsOf } from './support.ts'
import { openTestDatabase, type TestDatabase } from './test-database.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const START_MS = Date.UTC(2026, 2, 1)
const REMAINDERS = Array.from({ length: QUERY_PRICE_MICROS }, (_, remainder) => remainder)

t.setTimeout(300_000)
t.teardown(stopSharedPostgres)

t.test('a repeated exchange extends the deadline of its node', async t => {
  const database = await openDatabase(t)
  const { store } = database
  const [identity, other] = [await joinFleet(store), await joinFleet(store)]
  await fill(store, other, 1, 100)
  const exchange = exchangeOf(1, { wants: wantsOf(0, 5) })
  await store.exchange(identity, exchange)
  await database.setClock(START_MS + WRITE_OFF_MS - HOUR_MS)
  await store.exchange(identity, exchange)
  await database.setClock(START_MS + WRITE_OFF_MS + HOUR_MS)
  t.type(await errorOf(store.writeOff(identity.node)), RejectedError)
  t.same(await store.writeOffSilent(), [])
})

t.test('leases of silent nodes become free, and entries say so', async t => {
  const database = await openDatabase(t)
  const { store } = database
  const [silent, idle, live] = [await joinFleet(store), await joinFleet(store), await joinFleet(store)]
  await fill(store, live, 2, 100)
  await store.exchange(silent, exchangeOf(1, { wants: [...wantsOf(0, 5), ...wantsOf(2, 7)] }))
  await store.exchange(silent, exchangeOf(2, { reports: [usedOf(1, 2)] }))
  await database.setClock(START_MS + WRITE_OFF_MS)
  await store.exchange(live, exchangeOf(1, {}))
  t.same(await store.writeOffSilent(), [silent.node], 'only nodes with leases are listed')
  const { writeOffs, leasedMicros, nodes } = await store.status()
  t.same(
    writeOffs.map(({ node, epoch, account, micros }) => [node, epoch, account, micros]),
    [
      [silent.node, 1, 'a2', 7 * QUERY_PRICE_MICROS],
      [silent.node, 1, 'a0', 3 * QUERY_PRICE_MICROS],
    ],
  )
  t.equal(leasedMicros, 0)
  t.equal(nodes.find(({ node }) => node === idle.node)?.isWrittenOff, false)
  t.same(await store.writeOffSilent(), [], 'once')

  const epoch = await store.begin(silent.node)
  const lacking = await store.settle({ node: silent.node, epoch }, [usedOf(1, 4)])
  t.same(lacking, { coveredMicros: 0, forgivenMicros: 0 })
  const { position } = await store.changes(0, '0')
  t.same((await store.changes(0, position)).usage, [], 'its later reports are forgiven')
  const [{ spent }] = await database.query(
    'select used::int as spent from counter where holder = 0 and kind = 0',
  )
  t.equal(spent, 2 * QUERY_PRICE_MICROS)
})

t.test('a recovered node is gone until it starts again', async t => {
  const { store } = await openDatabase(t)
  const { node, epoch } = await joinFleet(store)
  const isGone = async () => (await store.status()).nodes.map(known => known.isGone)
  await store.retire({ node, epoch })
  t.same(await isGone(), [true])
  await joinFleet(store, node)
  t.same(await isGone(), [false])
})

t.test('hours of usage become days, and days become one sum', async t => {
  const database = await openDatabase(t)
  const { store } = database
  const identity = await joinFleet(store)
  await fill(store, identity, 2, 10_000)
  let [number, used] = [0, 0]
  const wants = [...wantsOf(0, 5000), ...wantsOf(2, 5000)]
  await store.exchange(identity, exchangeOf(++number, { wants }))
  const report = async (day: number, hour: number, key: number) => {
    await database.setClock(START_MS + day * DAY_MS + hour * HOUR_MS)
    await store.exchange(identity, exchangeOf(++number, { reports: [usedOf(key, ++used)] }))
  }
  // Key 3 is never used again, key 1 is.
  await report(0, 5, 3)
  for (const hour of [1, 7, 23]) await report(0, hour, 1)
  for (const hour of [0, 4]) await report(FLEET_HOURLY_DAYS + 1, hour, 1)
  await store.tidy()
  t.same(await readHistory(database), [
    [0, 5, 3, 1],
    [0, 23, 1, 4],
    [FLEET_HOURLY_DAYS + 1, 0, 1, 5],
    [FLEET_HOURLY_DAYS + 1, 4, 1, 6],
  ])
  const last = FLEET_HOURLY_DAYS + 2 + FLEET_DAILY_DAYS
  await report(last, 0, 1)
  await store.tidy()
  // Earlier usage is dated no later than its last hour.
  t.same(await readHistory(database), [
    [0, 5, 3, 1],
    [last, 0, 1, 7],
    [last, 0, 1, 7],
  ])
})

/** Opens a node, and an account for each remainder. Each account pays for 100 queries and the remainder. */
async function openRemainders(t: Test): Promise<{ database: TestDatabase; node: NodeIdentity }> {
  const database = await openTestDatabase(t)
  const node = await joinFleet(database.store)
  for (const remainder of REMAINDERS) {
    const events = accountEvents(2 * remainder, 100 * QUERY_PRICE_MICROS + remainder)
    await database.store.commit(node, remainder, [...events, keyOf(2 * remainder + 1, 2 * remainder)])
  }
  return { database, node }
}

async function expectAllSpent(t: Test, database: TestDatabase): Promise<void> {
  const rows = await database.query(
    'select used::int as spent, leased::int from counter where kind = 0 order by holder',
  )
  t.same(
    rows,
    REMAINDERS.map(() => ({ spent: 100 * QUERY_PRICE_MICROS, leased: 0 })),
  )
  t.same(await database.faults(), [])
}

t.test('a start settles whole queries, and given-up leases count as whole queries', async t => {
  const { database, node } = await openRemainders(t)
  const epoch = await database.store.begin(node.node)
  const counts = REMAINDERS.map(remainder => usedOf(2 * remainder + 1, 130))
  const settle = () => database.store.settle({ ...node, epoch }, counts)
  const queries = QUERY_PRICE_MICROS * REMAINDERS.length
  t.same(await settle(), { coveredMicros: 100 * queries, forgivenMicros: 30 * queries })
  await expectAllSpent(t, database)
  const entries = await database.query('select account, micros::int from write_off order by account')
  t.same(
    entries,
    REMAINDERS.map(remainder => ({ account: 2 * remainder, micros: 30 * QUERY_PRICE_MICROS })),
  )
  t.same(await settle(), { coveredMicros: 0, forgivenMicros: 0 }, 'once')
})

t.test('a failed start books nothing and is no sign of life', async t => {
  const { database, node } = await openRemainders(t)
  const { store } = database
  await database.setClock(23 * HOUR_MS)
  const counts = [usedOf(1, 130), usedOf(1001, 1)]
  for (let attempt = 0; attempt < 3; attempt++) {
    const epoch = await store.begin(node.node)
    t.match(String(await errorOf(store.settle({ ...node, epoch }, counts))), /not known/)
  }
  t.same(await database.query('select from counter where used > 0 or leased > 0'), [])
  t.same((await store.status()).writeOffs, [])
  await database.setClock(24 * HOUR_MS)
  t.same(await store.writeOff(node.node), { accounts: 0, micros: 0 })
})

async function openDatabase(t: Test): Promise<TestDatabase> {
  const database = await openTestDatabase(t)
  await database.setClock(START_MS)
  return database
}

/** Returns day since the start, hour of the day, key, and queries. */
function readHistory({ store }: TestDatabase): Promise<number[][]> {
  return store.image(async ({ history }) => {
    const rows: number[][] = []
    for await (const { hour, key, queries } of history) {
      const since = hour - START_MS / HOUR_MS
      rows.push([Math.floor(since / 24), since % 24, key, queries])
    }
    return rows
  })
}
