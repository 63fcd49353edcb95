/** The store on PostgreSQL as time passes, by a clock that the test sets. */
import t, { type Test } from 'tap'
import {
  confirmWindow,
  grantWindow,
  reportWindow,
  takeLeased,
} from '../../../src/billing/accounts/charging/leased-window.ts'
import { RefusedError } from '../../../src/billing/fleet/database-errors.ts'
import { FLEET_DAILY_DAYS, WRITE_OFF_MS } from '../../../src/billing/fleet/fleet-bounds.ts'
import type { Exchange, NodeIdentity } from '../../../src/billing/fleet/messages.ts'
import { ROW_CELLS } from '../../../src/billing/ledger/meter/meter-layout.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { stopSharedPostgres } from '../../support/postgres.ts'
import {
  accountEvents,
  errorOf,
  exchangeOf,
  failOnMissingLeases,
  fill,
  joinFleet,
  keyOf,
  usedOf,
  wantOf,
} from './support.ts'
import { TestDatabase } from './test-database.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
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
  const exchange = exchangeOf(1, { wants: [wantOf(0, 5)] })
  await store.exchange(identity, exchange)
  await database.setClock(START_MS + WRITE_OFF_MS - HOUR_MS)
  await store.exchange(identity, exchange)
  await database.setClock(START_MS + WRITE_OFF_MS + HOUR_MS)
  t.type(await errorOf(store.writeOff(identity.node)), RefusedError)
  t.same(await store.writeOffSilent(), [])
})

t.test('leases of silent nodes become free, and entries say so', async t => {
  const database = await openDatabase(t)
  const { store } = database
  const [silent, idle, live] = [await joinFleet(store), await joinFleet(store), await joinFleet(store)]
  await fill(store, live, 2, 100)
  await store.exchange(silent, exchangeOf(1, { wants: [wantOf(0, 5), wantOf(2, 7)] }))
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
  await store.settle({ node: silent.node, epoch }, [usedOf(1, 4)], failOnMissingLeases)
  const { position } = await store.changes(0, '0')
  t.same((await store.changes(0, position)).usage, [], 'its later reports are forgiven')
  const [{ spent }] = await database.query('select spent::int as spent from account where slot = 0')
  t.equal(spent, 2 * QUERY_PRICE_MICROS)
})

t.test('a returning node is not booked twice', async t => {
  const database = await openDatabase(t)
  const { store } = database
  const [gone, retired, live] = [await joinFleet(store), await joinFleet(store), await joinFleet(store)]
  await fill(store, live, 1, 100)
  for (const [identity, used] of [
    [gone, 2],
    [retired, 3],
    [live, 4],
  ] as const) {
    await store.exchange(identity, exchangeOf(1, { wants: [wantOf(0, 10)] }))
    await store.exchange(identity, exchangeOf(2, { reports: [usedOf(1, used)] }))
  }
  await database.setClock(START_MS + WRITE_OFF_MS)
  await store.writeOff(gone.node)
  const epoch = await store.begin(retired.node)
  const again = { node: retired.node, epoch }
  await store.settle(again, [usedOf(1, 5)], failOnMissingLeases)
  await store.retire(again)
  t.match(
    (await store.status()).nodes.find(({ node }) => node === retired.node),
    { isGone: true },
  )
  const sums = `select (select queries[1]::int from key_usage where key = 1) as used, (select spent::int from account) as spent`
  t.same(await database.query(sums), [{ used: 11, spent: 11 * QUERY_PRICE_MICROS }])

  // Both come back. Their reported and given-up leases are not booked again.
  for (const [{ node }, used] of [
    [gone, 8],
    [retired, 5],
  ] as const) {
    const back = { node, epoch: await store.begin(node) }
    await store.settle(back, [usedOf(1, used)], failOnMissingLeases)
    t.same(await database.query(sums), [{ used: 11, spent: 11 * QUERY_PRICE_MICROS }])
  }
  const back = { node: retired.node, epoch: await store.begin(retired.node) }
  await store.settle(back, [usedOf(1, 5)], failOnMissingLeases)
  await store.exchange(back, exchangeOf(1, { wants: [wantOf(0, 10)] }))
  await store.exchange(back, exchangeOf(2, { reports: [usedOf(1, 6)] }))
  t.same(await database.query(sums), [{ used: 12, spent: 12 * QUERY_PRICE_MICROS }], 'later charges count')
  t.same(await database.faults(), [])
})

t.test('hours of usage become days, and days end when the key was used since', async t => {
  const database = await openDatabase(t)
  const { store } = database
  const identity = await joinFleet(store)
  await fill(store, identity, 2, 10_000)
  let [number, used] = [0, 0]
  await store.exchange(identity, exchangeOf(++number, { wants: [wantOf(0, 5000), wantOf(2, 5000)] }))
  const report = async (day: number, hour: number, key: number) => {
    await database.setClock(START_MS + day * DAY_MS + hour * HOUR_MS)
    await store.exchange(identity, exchangeOf(++number, { reports: [usedOf(key, ++used)] }))
  }
  // Key 3 is never used again, key 1 is.
  await report(0, 5, 3)
  for (const hour of [1, 7, 23]) await report(0, hour, 1)
  for (const hour of [2, 3]) await report(1, hour, 1)
  for (const hour of [0, 4]) await report(4, hour, 1)
  await store.tidy()
  t.same(await storedHours(database), [
    [0, 5, 3],
    [0, 23, 1],
    [1, 2, 1],
    [1, 3, 1],
    [4, 0, 1],
    [4, 4, 1],
  ])
  await report(5 + FLEET_DAILY_DAYS, 0, 1)
  await store.tidy()
  t.same(await storedHours(database), [
    [0, 5, 3],
    [5 + FLEET_DAILY_DAYS, 0, 1],
  ])
})

/** Opens a node, and an account for each remainder. Each account pays for 100 queries and the remainder. */
async function openRemainders(t: Test): Promise<{ database: TestDatabase; node: NodeIdentity }> {
  const database = await TestDatabase.open()
  t.teardown(() => database.close())
  const node = await joinFleet(database.store)
  for (const remainder of REMAINDERS) {
    const events = accountEvents(2 * remainder, 100 * QUERY_PRICE_MICROS + remainder)
    await database.store.commit(node, remainder, [...events, keyOf(2 * remainder + 1, 2 * remainder)])
  }
  return { database, node }
}

async function expectAllSpent(t: Test, database: TestDatabase): Promise<void> {
  const rows = await database.query('select spent::int, leased::int from account order by slot')
  t.same(
    rows,
    REMAINDERS.map(() => ({ spent: 100 * QUERY_PRICE_MICROS, leased: 0 })),
  )
  t.same(await database.faults(), [])
}

t.test('a journal settles whole queries, and given-up leases count as whole queries', async t => {
  const { database, node } = await openRemainders(t)
  const epoch = await database.store.begin(node.node)
  const counts = REMAINDERS.map(remainder => usedOf(2 * remainder + 1, 130))
  const found: unknown[] = []
  const settle = () => database.store.settle({ ...node, epoch }, counts, lacking => found.push(lacking))
  await settle()
  const queries = QUERY_PRICE_MICROS * REMAINDERS.length
  t.same(found, [{ coveredMicros: 100 * queries, forgivenMicros: 30 * queries }])
  await expectAllSpent(t, database)
  const entries = await database.query('select account, micros::int from write_off order by account')
  t.same(
    entries,
    REMAINDERS.map(remainder => ({ account: 2 * remainder, micros: 30 * QUERY_PRICE_MICROS })),
  )
  await settle()
  t.equal(found.length, 1, 'once')
})

t.test('a failed start books nothing and is no sign of life', async t => {
  const { database, node } = await openRemainders(t)
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

t.test('returned admissions of an ended minute come off the hour', async t => {
  const database = await openDatabase(t)
  const { store } = database
  const node = await joinFleet(store)
  await fill(store, node, 1, 100)
  const limits = { perMinute: null, perHour: 100, perDay: null }
  await store.commit(node, 2, [{ kind: 'limits', account: 0, limits }])
  const row = new Float64Array(ROW_CELLS)
  const account = { limits, currentMinute: 0, currentHour: 0, currentDay: 0 }
  const wants = [{ ...wantOf(0, 1), neededAdmissions: 1, aheadAdmissions: 80 }]
  const take = async (exchange: Exchange) => {
    const { accounts } = await store.exchange(node, exchange)
    const { granted = 0, validMs = 0, counts = [-1, -1, -1] } = accounts[0].admission ?? {}
    grantWindow(row, 0, { granted, untilMs: validMs, refusedUntilMs: 0, refusedQueries: 0, counts })
  }
  await take(exchangeOf(1, { wants }))
  t.equal(takeLeased(row, 0, account, 2, 0), 0)
  t.same(reportWindow(row, 0, 0, false), { used: 2, left: 0 })
  const { used, left } = reportWindow(row, 0, MINUTE_MS, false)
  t.ok(left > 10, `${left} are left`)
  t.same(reportWindow(row, 0, MINUTE_MS, false), { used, left: 0 }, 'once')
  confirmWindow(row, 0, used)
  await database.setClock(START_MS + MINUTE_MS)
  const returns = [{ account: 0, micros: 0, admissions: left, caps: [] }]
  await take(exchangeOf(2, { admitted: [{ account: 0, queries: used }], returns, wants }))
  takeLeased(row, 0, account, 0, 0)
  t.match(account, { currentMinute: 0, currentHour: 2, currentDay: 2 })
})

async function openDatabase(t: Test): Promise<TestDatabase> {
  const database = await TestDatabase.open()
  t.teardown(() => database.close())
  await database.setClock(START_MS)
  return database
}

/** Day since the start, hour of the day, key. */
async function storedHours(database: TestDatabase): Promise<number[][]> {
  const rows = await database.query('select hour, key from key_hour order by hour, key')
  return rows.map(({ hour, key }) => {
    const since = Number(hour) - START_MS / HOUR_MS
    return [Math.floor(since / 24), since % 24, Number(key)]
  })
}
