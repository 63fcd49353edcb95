/** Covers what a simulation in one process cannot reach, and time, by a clock that the test sets. */
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { inspect } from 'node:util'
import pg from 'pg'
import t, { type Test } from 'tap'
import { StaleError } from '../../../src/billing/accounts/account-store.ts'
import type { Accounts } from '../../../src/billing/accounts/accounts.ts'
import { Connections, connectionOptions } from '../../../src/billing/fleet/connections.ts'
import { RejectedError, UnavailableError } from '../../../src/billing/fleet/database-errors.ts'
import {
  FLEET_DAILY_DAYS,
  FLEET_HOURLY_DAYS,
  type FleetDatabase,
  openFleetDatabase,
  WRITE_OFF_MS,
} from '../../../src/billing/fleet/fleet-database.ts'
import type { Exchange, NodeIdentity } from '../../../src/billing/fleet/messages.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { authenticate } from '../../support/accounts.ts'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../../support/postgres.ts'
import { command } from '../../support/processes.ts'
import { until } from '../../support/until.ts'
import { chargeAsServed } from '../ledger/expectation.ts'
import {
  accountEvents,
  credit,
  errorOf,
  exchangeOf,
  fill,
  freshStore,
  grantedOf,
  joinFleet,
  keyOf,
  openNode,
  usedOf,
  wantsOf,
} from './support.ts'
import { openTestDatabase, type TestDatabase } from './test-database.ts'

t.setTimeout(300_000)
t.teardown(stopSharedPostgres)

t.test('nodes start together and share accounts with serializable transactions', async t => {
  const server = await sharedPostgres()
  await server.query('create database strict')
  await server.query("alter database strict set default_transaction_isolation = 'serializable'")
  const url = server.url.replace(/postgres$/, 'strict')
  const stores = await Promise.all(Array.from({ length: 4 }, () => openFleetDatabase(url)))
  const nodes = await Promise.all(stores.map(store => joinFleet(store)))
  await fill(stores[0], nodes[0], 1, 1000)
  for (let number = 1; number <= 20; number++) {
    const exchange = exchangeOf(number, { wants: wantsOf(0, 1) })
    const answers = await Promise.all(stores.map((store, at) => store.exchange(nodes[at], exchange)))
    for (const answer of answers) t.equal(grantedOf(answer, 0), QUERY_PRICE_MICROS)
  }
  await Promise.all(stores.map(store => store.close()))
})

t.test('a role without rights is refused with a remedy and without its password', async t => {
  const server = await sharedPostgres()
  await server.query("create role weak login password 's3cret'; create schema owned_by_another")
  const url = server.url.replace('postgres@', 'weak:s3cret@')
  for (const schema of ['postrie', 'owned_by_another']) {
    const error = await errorOf(openFleetDatabase(url, { schema }))
    t.type(error, RejectedError)
    t.match(String(error), `create schema "${schema}" authorization "weak"`)
    t.notMatch(inspect(error, { depth: null }), /s3cret/)
  }
  await server.query('alter schema owned_by_another owner to weak')
  await (await openFleetDatabase(url, { schema: 'owned_by_another' })).close()
})

t.test('sessions that a pooler mixed up are named, and damaged data is not an outage', async t => {
  const { store, schema } = await freshStore()
  await store.close()
  const { url } = await sharedPostgres()
  const database = new Connections({ url, schema, connectMs: 5000, queryMs: 5000, connections: 1 })
  await database.query('select sequence from fleet')
  // Another client has got this connection meanwhile.
  await database.query("select set_config('search_path', 'public', false)")
  await t.rejects(database.query('select sequence from fleet'), /does not exist.*PgBouncer.*pool sessions/)
  for (const [state, thrown] of [
    ['57014', UnavailableError],
    ['XX002', RejectedError],
  ] as const)
    t.type(await errorOf(database.query(`do $$ begin raise sqlstate '${state}'; end $$`)), thrown, state)
  await database.close()
})

t.test('a database whose encoding cannot hold every label is refused', async t => {
  const server = await sharedPostgres()
  await server.query("create database latin encoding 'LATIN1' template template0")
  await t.rejects(
    openFleetDatabase(server.url.replace(/postgres$/, 'latin')),
    /encoding LATIN1.*encoding 'UTF8'/s,
  )
})

t.test('a schema of another version or with other tables is refused unchanged', async t => {
  const { store, schema } = await freshStore()
  await store.close()
  const server = await sharedPostgres()
  await server.query(`update ${schema}.schema_version set version = 7`)
  const other = freshSchema()
  await server.query(`create schema ${other}; create table ${other}.invoices (id int)`)
  for (const [name, found] of [
    [schema, /has version 7 of a fleet, .* needs version 1\. .*choose another schema/],
    [other, /has 1 tables and no version of a fleet, .* needs version 1\. .*choose another schema/],
  ] as const) {
    const error = await errorOf(freshStore({ schema: name }))
    t.type(error, RejectedError)
    t.match(String(error), found)
  }
  t.equal((await server.query(`select from pg_tables where schemaname = '${other}'`)).length, 1)
})

t.test('usage that is committed out of order is read', async t => {
  const { store, schema } = await freshStore()
  const [slow, fast] = [await joinFleet(store), await joinFleet(store)]
  const after = await fill(store, slow, 2, 100)
  await store.exchange(slow, exchangeOf(1, { wants: wantsOf(0, 9) }))
  await store.exchange(fast, exchangeOf(1, { wants: wantsOf(2, 9) }))
  const { position: before } = await store.changes(after, '0')

  const client = await openTransaction(schema)
  await exchangeIn(client, slow, exchangeOf(2, { reports: [usedOf(1, 7)] }))
  await store.exchange(fast, exchangeOf(2, { reports: [usedOf(3, 5)] }))
  const early = await store.changes(after, before)
  await client.query('commit')
  await client.end()
  const late = await store.changes(after, early.position)

  t.same(
    early.usage.map(({ key, queries }) => [key, queries]),
    [[3, 5]],
  )
  t.ok(
    late.usage.some(({ key, queries }) => key === 1 && queries === 7),
    'the earlier transaction',
  )
  await store.close()
})

/**
 * 1. An exchange locks the account.
 * 2. The write-off of a node that was recalled waits for the account.
 * 3. The exchange is refused its want, and recalls the node again.
 */
t.test('a write-off and an exchange that recalls the node do not wait for each other', async t => {
  const { store, schema } = await freshStore()
  const [silent, live] = [await joinFleet(store), await joinFleet(store)]
  await fill(store, live, 1, 100)
  await store.exchange(silent, exchangeOf(1, { wants: wantsOf(0, 60) }))
  await store.exchange(live, exchangeOf(1, { wants: wantsOf(0, 70) }))
  const client = await openTransaction(schema)
  await client.query("select lock_accounts('{0}')")
  const writingOff = store.writeOff(silent.node, 0)
  const server = await sharedPostgres()
  const waiting =
    "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%write_off_node%'"
  await until(async () => (await server.query(waiting)).length > 0)
  await exchangeIn(client, live, exchangeOf(2, { wants: wantsOf(0, 70) }))
  await client.query('commit')
  await client.end()
  t.same(await writingOff, { accounts: 1, micros: 60 * QUERY_PRICE_MICROS })
  t.same(await server.query(`select from ${schema}.recall`), [], 'nobody is left to return a lease')
  await store.close()
})

async function openTransaction(schema: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: (await sharedPostgres()).url })
  await client.connect()
  await client.query(`set search_path = ${schema}; begin`)
  return client
}

async function exchangeIn(
  client: pg.Client,
  { node, epoch }: NodeIdentity,
  exchange: Exchange,
): Promise<void> {
  const { number, reports, taken, wants } = exchange
  const parts = [reports, taken, wants].map(part => JSON.stringify(part))
  const values = [node, epoch, number, QUERY_PRICE_MICROS, 1000, ...parts, 2000]
  await client.query('select exchange($1, $2, $3, $4, $5, $6, $7, $8, $9)', values)
}

t.test('an image of the accounts ignores later commits', async t => {
  const { store } = await freshStore()
  const identity = await joinFleet(store)
  const newest = await fill(store, identity, 3, 100)
  const position = await store.image(async image => {
    await store.commit(identity, newest, [credit(0, QUERY_PRICE_MICROS, 'later')])
    await store.exchange(identity, exchangeOf(1, { wants: wantsOf(0, 5) }))
    await store.exchange(identity, exchangeOf(2, { reports: [usedOf(1, 5)] }))
    const sequences: number[] = []
    for await (const { sequence } of image.committed) sequences.push(sequence)
    for await (const hour of image.history) t.fail(`an hour of later: ${JSON.stringify(hour)}`)
    t.same([sequences.length, sequences.at(-1)], [newest, newest])
    return image.position
  })
  const { committed, usage } = await store.changes(newest, position)
  t.same([committed.length, usage.map(({ key, queries }) => [key, queries])], [1, [[1, 5]]])
  await store.close()
})

t.test('a command is refused if a node has leased the free balance', async t => {
  const { store } = await freshStore()
  const identity = await joinFleet(store)
  await store.commit(identity, 0, accountEvents(0, 10 * QUERY_PRICE_MICROS))
  await store.exchange(identity, exchangeOf(1, { wants: wantsOf(0, 6) }))
  const taken = (micros: number) => ({ micros, takenMicros: micros, adjust: 'refund', note: '' }) as const
  const adjust = (micros: number) =>
    ({ kind: 'adjust', account: 0, reference: `${micros}`, ...taken(micros) }) as const
  t.type(await errorOf(store.commit(identity, 1, [adjust(5 * QUERY_PRICE_MICROS)])), StaleError)
  t.type(await errorOf(store.commit(identity, 0, [adjust(1)])), StaleError, 'on an older sequence')
  t.same(await store.recall(identity, 0, 60_000), { freeMicros: 4 * QUERY_PRICE_MICROS, isLeased: true })
  const answer = await store.exchange(identity, exchangeOf(2, { wants: wantsOf(0, 1) }))
  t.equal(grantedOf(answer, 0), 0, 'nothing is leased while a command waits')
  const owing = { ...adjust(4 * QUERY_PRICE_MICROS), micros: 5 * QUERY_PRICE_MICROS }
  t.type(await errorOf(store.commit(identity, 1, [owing])), StaleError, 'a debt beside a lease')
  await store.commit(identity, 1, [adjust(4 * QUERY_PRICE_MICROS)])
  await store.commit(identity, 2, [credit(0, 3 * QUERY_PRICE_MICROS, 'after')])
  const after = await store.exchange(identity, exchangeOf(3, { wants: wantsOf(0, 1) }))
  t.equal(grantedOf(after, 0), QUERY_PRICE_MICROS, 'leased again once the command has taken its part')
  await store.close()
})

/** Opens two nodes, and an account without credit. `store` is the one of `here`. */
async function openPair(t: Test) {
  const { store, schema } = await freshStore()
  const open = async (dir: string, store: FleetDatabase) => {
    const { accounts } = await openNode({ dir, database: store })
    t.teardown(() => accounts.close())
    return accounts
  }
  const folder = t.testdir()
  const here = await open(join(folder, 'here'), store)
  const there = await open(join(folder, 'there'), (await freshStore({ schema })).store)
  const { id: account } = await here.createAccount({ email: 'a@example.com', freeCredit: false })
  await until(() => there.account(account) !== undefined)
  return { store, here, there, account }
}

/**
 * 1. Another node credits an account. This node is reading that change.
 * 2. Meanwhile, the same credit arrives here. It is decided on the book before the change.
 * 3. It must not be committed after the change: no node could read a reference that is used twice.
 */
t.test('a command that was decided during a read of changes is decided again', async t => {
  const { store, here, there, account } = await openPair(t)
  const changes = store.changes.bind(store)
  const [found, isFound] = signal()
  const [release, isReleased] = signal()
  store.changes = async (...asked) => {
    const read = await changes(...asked)
    if (read.committed.length > 0) {
      found()
      await isReleased
    }
    return read
  }
  const credit = { account, micros: QUERY_PRICE_MICROS, reference: 'once', kind: 'operator' } as const
  t.match(await there.credit(credit), { applied: true })
  await isFound
  const again = here.credit(credit)
  await nextTurn()
  release()
  t.match(await again, { applied: false })
  t.equal(here.account(account)?.balanceMicros, QUERY_PRICE_MICROS)
})

function signal(): [send: () => void, sent: Promise<void>] {
  let send = () => {}
  const sent = new Promise<void>(resolve => {
    send = resolve
  })
  return [send, sent]
}

/**
 * 1. A node reports its last query. The database answers that nothing is left, and the answer is lost.
 * 2. Another node credits the account, and this node shows the credit.
 * 3. The repetition gets the first answer: nothing is left.
 */
t.test('a credit is charged though an answer from before it arrives later', async t => {
  const { store, here, there, account } = await openPair(t)
  const { secret } = await here.createKey(account)
  const addFunds = ({ credit }: Accounts, reference: string, queries: number) =>
    credit({ account, micros: queries * QUERY_PRICE_MICROS, reference, kind: 'operator' })
  const charge = () => {
    const key = authenticate(here, secret)
    return key !== undefined && chargeAsServed(here.charging, key, 0, 1)
  }
  const has = (queries: number) => here.account(account)?.balanceMicros === queries * QUERY_PRICE_MICROS
  const exchange = store.exchange.bind(store)
  let answers = 0
  store.exchange = async (identity, message) => {
    const answer = await exchange(identity, message)
    if (message.reports.length === 0 || ++answers !== 1) return answer
    await until(() => has(0))
    await addFunds(there, 'second', 9)
    await until(() => has(9))
    throw new UnavailableError('the answer is lost')
  }
  await addFunds(here, 'first', 1)
  t.ok(await charge())
  await until(() => answers === 2)
  await until(charge)
  t.ok(await charge())
})

t.test('an address with an unknown parameter or mode is refused', async t => {
  const address = 'postgres://postrie:s3cret@db/postrie'
  t.throws(
    () => connectionOptions(`${address}?sslmod=verify-full`),
    /has the parameter sslmod\. Known are .*sslmode/,
  )
  t.throws(
    () => connectionOptions(`${address}?sslmode=verify_full`),
    /sslmode=verify_full\. Known are .*verify-full/,
  )
  t.match(connectionOptions(`${address}?schema=own&sslmode=verify-full`), { schema: 'own' })
})

t.test('a reading command creates no tables', async t => {
  const schema = freshSchema()
  const server = await sharedPostgres()
  const { code, stderr } = await command(t.testdir(), ['fleet', 'status'], {
    ACCOUNTS: `${server.url}?schema=${schema}`,
  })
  t.not(code, 0)
  t.match(stderr, /no tables of a fleet, and this command does not create them.*Start a node/)
  t.equal((await server.query(`select from pg_namespace where nspname = '${schema}'`)).length, 0)
})

t.test('a command without DATA_DIR creates no node in the default folder', async t => {
  const env = { ACCOUNTS: (await sharedPostgres()).url, DATA_DIR: undefined }
  const { code, stderr } = await command(t.testdir(), ['account', 'list'], env)
  t.not(code, 0)
  t.match(stderr, /DATA_DIR is not set, and .* is not the folder of a node: set DATA_DIR/)
})

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const START_MS = Date.UTC(2026, 2, 1)
const REMAINDERS = Array.from({ length: QUERY_PRICE_MICROS }, (_, remainder) => remainder)

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

t.test('a write-off that was interrupted goes on', async t => {
  const database = await openDatabase(t)
  const { store } = database
  const [silent, other] = [await joinFleet(store), await joinFleet(store)]
  await fill(store, other, 2, 100)
  await store.exchange(silent, exchangeOf(1, { wants: [...wantsOf(0, 5), ...wantsOf(2, 7)] }))
  await database.setClock(START_MS + WRITE_OFF_MS + HOUR_MS)
  // One part, with the leases of one account. Then the writing node dies.
  await database.query('select write_off_node($1, $2, 1)', [silent.node, WRITE_OFF_MS])
  t.same(await store.writeOffSilent(), [silent.node])
  t.same(await database.query('select from lease where amount > 0'), [])
  t.equal((await store.status()).writeOffs.length, 2)
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
