/** A node stops charging before a silent database may give its leases up, and goes on once the database answers. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openFleetDatabase } from '../../../src/billing/fleet/fleet-database.ts'
import { type Clock, systemClock } from '../../../src/billing/ledger/timeline.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { authenticate, keyOf } from '../../support/accounts.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { post } from '../../support/post.ts'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../../support/postgres.ts'
import { startFakeServer } from '../../support/processes.ts'
import { TcpProxy } from '../../support/tcp-proxy.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { errorOf, openNode } from './support.ts'
import { openTestDatabase } from './test-database.ts'

const HOUR_MS = 3_600_000
const ANSWER_MS_MAX = 20_000
const FAST = { connectMs: 1000, queryMs: 1000 }

t.setTimeout(120_000)
t.teardown(stopSharedPostgres)

type Fixture = Awaited<ReturnType<typeof start>>

/** Starts a node with an index fixture. The test controls its network and its clock. */
async function start(t: Test) {
  const postgres = await sharedPostgres()
  const database = await openTestDatabase(t)
  await database.setClock(Date.now())
  const proxy = await TcpProxy.open(t, postgres.port)
  let aheadMs = 0
  const clock: Clock = {
    ...systemClock,
    wallMs: () => systemClock.wallMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
  }
  const opened = { identity: { node: '', epoch: 0 }, dir: '', asked: 0 }
  const failures: Error[] = []
  const open = async (options: { dir: string }) => {
    const store = await openFleetDatabase(postgres.urlBy(proxy.port), { schema: database.schema, ...FAST })
    const exchange = store.exchange.bind(store)
    store.exchange = (...message) => {
      opened.asked++
      return exchange(...message)
    }
    const onFatal = (error: Error) => failures.push(error)
    const { accounts, identity } = await openNode({ ...options, clock, database: store, onFatal })
    Object.assign(opened, { identity, dir: options.dir })
    return accounts
  }
  const app = await startApp(t, undefined, {}, {}, open)
  const pass = async (ms: number) => {
    aheadMs += ms
    await database.setClock(Date.now() + aheadMs)
  }
  /** Copies the folder of the node before its end removes it. */
  const copy = () => {
    const dir = join(t.testdir(), 'copy')
    cpSync(opened.dir, dir, { recursive: true })
    return dir
  }
  return { app, proxy, database, opened, failures, pass, copy, open }
}

async function lookup({ baseUrl, key }: TestApp): Promise<number> {
  return (await post(baseUrl, '/api/lookup', { zipcode: '90210', apiKey: key })).status
}

/** Sends requests one by one until an answer has `status`. Returns the number of answers with 200. */
async function sendUntil(app: TestApp, status: number): Promise<number> {
  const endMs = performance.now() + ANSWER_MS_MAX
  for (let answered = 0; ; ) {
    const found = await lookup(app)
    if (found === 200) answered++
    if (found === status) return answered
    if (performance.now() > endMs) throw new Error(`answers ${found}, and never ${status}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

async function sendLookups(app: TestApp, count: number): Promise<number> {
  let answered = 0
  for (let i = 0; i < count; i++) if ((await lookup(app)) === 200) answered++
  return answered
}

/** Returns a stopped node's reported queries, its charged queries, and the remaining leases. */
async function readBooks({ database, app }: Fixture) {
  await app.close()
  const [row] = await database.query(
    `select (select sum(queries) from node_usage u where u.node = n.id)::int as reported,
       (select sum(used) from counter where kind = 0)::int as spent, (select sum(leased) from counter)::int as leased,
       (select coalesce(sum(micros), 0) from write_off)::int as given_up, n.epoch from node n`,
  )
  const { reported, spent, leased, given_up: givenUp, epoch } = row
  t.same(await database.faults(), [])
  return { reported, charged: Number(spent) / QUERY_PRICE_MICROS, leased, givenUp: Number(givenUp), epoch }
}

t.test('a node continues when its silent database kept all leases', async t => {
  const fixture = await start(t)
  const { app, proxy } = fixture
  let answered = await sendUntil(app, 200)
  answered += await sendLookups(app, 20)
  proxy.silence()
  const before = fixture.opened.asked
  answered += await sendLookups(app, 20)
  // The repeated exchange is answered after the deadline that its sending allows.
  await until(() => fixture.opened.asked > before + 1)
  await fixture.pass(23.5 * HOUR_MS)
  answered += await sendUntil(app, 503)
  proxy.heal()
  answered += await sendUntil(app, 200)
  answered += await sendLookups(app, 20)
  t.equal(fixture.opened.identity.epoch, 1)
  t.same(fixture.failures, [])
  const { reported, charged, leased, givenUp, epoch } = await readBooks(fixture)
  t.same(
    { reported, charged, leased, givenUp, epoch },
    { reported: answered, charged: answered, leased: 0, givenUp: 0, epoch: 1 },
  )
})

t.test('no endpoint reports an empty balance while the database is away', async t => {
  const { app, proxy } = await start(t)
  const { baseUrl, key: apiKey } = app
  const records = Array.from({ length: 990 }, () => ({ postalCode: '90210', countryCode: 'US' }))
  t.equal((await post(baseUrl, '/api/validate-bulk', { apiKey, records })).status, 200)
  await sendUntil(app, 402)
  proxy.silence()
  await until(async () => (await lookup(app)) === 503)
  const nearest = () => post(baseUrl, '/api/nearest', { apiKey, zipcode: '90210' })
  t.same([await lookup(app), (await nearest()).status], [503, 503])
  proxy.heal()
  await sendUntil(app, 402)
})

t.test('a node whose leases were given up ends, and its next start reports its answers', async t => {
  const fixture = await start(t)
  const { app, proxy, database, failures } = fixture
  let answered = await sendUntil(app, 200)
  answered += await sendLookups(app, 20)
  proxy.silence()
  answered += await sendLookups(app, 20)
  await fixture.pass(24.5 * HOUR_MS)
  answered += await sendUntil(app, 503)
  const { micros } = await database.store.writeOff(fixture.opened.identity.node)
  t.ok(micros > 0)
  proxy.heal()
  await until(() => failures.length > 0)
  t.match(failures, [/its leases were given up/])
  t.equal(await lookup(app), 503)
  const dir = fixture.copy()
  await app.close()
  await (await fixture.open({ dir })).close()
  const { reported, charged, leased, givenUp } = await readBooks(fixture)
  t.equal(reported, answered, 'every answer is reported once')
  t.equal(leased, 0)
  t.ok(givenUp >= (Number(reported) - charged) * QUERY_PRICE_MICROS, 'forgiven queries had been given up')
})

t.test('a dashboard without its database answers 503 and recovers', async t => {
  const server = await sharedPostgres()
  const proxy = await TcpProxy.open(t, server.port)
  const node = await startFakeServer(temporaryFolder(t), {
    ACCOUNTS: `${server.urlBy(proxy.port)}?schema=asks`,
  })
  t.teardown(() => node.stop('SIGKILL'))
  const overview = async () => {
    const answer = await fetch(`${node.dashboard}/`, { redirect: 'manual' })
    return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get('retry-after') }
  }
  t.equal((await overview()).status, 303, 'it leads to the sign-in')
  proxy.silence()
  const { status, text, retryAfter } = await overview()
  t.equal(status, 503)
  t.match(text, /cannot be read or changed/)
  t.ok(Number(retryAfter) > 0)
  t.equal((await fetch(`${node.dashboard}/metrics`)).status, 200, 'this node knows itself')
  t.match(await errorOf(fetch(`${node.dashboard}/healthz`)), undefined)
  proxy.heal()
  while ((await overview()).status !== 303);
})

const NO_RULES = { limits: null, endpoints: null, addresses: null }

/** Nodes have clocks an hour apart. The database's clock counts. */
t.test('a key and the secret of a rolled key expire on all nodes at once', async t => {
  const schema = freshSchema()
  const notices: string[] = []
  const folder = t.testdir()
  const open = async (name: string, apartMs: number) => {
    const store = await openFleetDatabase((await sharedPostgres()).url, { schema })
    const clock = { ...systemClock, wallMs: () => Date.now() + apartMs }
    const onNotice = (notice: string) => notices.push(notice)
    const { accounts } = await openNode({ dir: join(folder, name), database: store, clock, onNotice })
    t.teardown(() => accounts.close())
    return accounts
  }
  const right = await open('right', 0)
  t.same(notices, [])
  const behind = await open('behind', -HOUR_MS)
  const ahead = await open('ahead', HOUR_MS)
  t.match(notices, [/3600 s behind the database's clock/, /3600 s ahead of the database's clock/])
  const nodes = { right, behind, ahead }
  const { id } = await right.createAccount({ email: 'clock@example.com' })

  const expiring = await right.createKey(id)
  const expiresMs = Date.now() + 3000
  await right.setKeyRules(expiring.id, { expiresMs, ...NO_RULES })
  for (const [name, node] of Object.entries(nodes)) {
    await until(() => !!authenticate(node, expiring.secret))
    t.pass(`known to the node that is ${name}`)
  }
  t.ok(Date.now() < expiresMs, 'all three have answered it before its end')
  await until(() => Date.now() > expiresMs + 50)
  for (const [name, node] of Object.entries(nodes)) t.notOk(authenticate(node, expiring.secret), name)

  for (const [name, node] of Object.entries(nodes)) {
    const rolled = await right.createKey(id)
    for (const other of Object.values(nodes)) await until(() => !!authenticate(other, rolled.secret))
    await node.rollKey(rolled.id, 0)
    for (const other of Object.values(nodes)) await until(() => !authenticate(other, rolled.secret))
    t.pass(`the earlier secret has ended everywhere after the node that is ${name} has rolled the key`)
  }
})

t.test('a node that was paused too long charges only after its leases are confirmed', async t => {
  const store = await openFleetDatabase((await sharedPostgres()).url, { schema: freshSchema() })
  // The clocks of a stopped process go on. A sleeping machine stops only the monotonic one.
  let stoppedMs = 0
  const clock = { ...systemClock, wallMs: () => Date.now() + stoppedMs }
  const { accounts } = await openNode({ dir: t.testdir(), database: store, clock })
  t.teardown(() => accounts.close())
  const { id } = await accounts.createAccount({ email: 'stopped@example.com' })
  const { secret } = await accounts.createKey(id)
  const key = keyOf(accounts, secret)
  const refusal = accounts.charging.charge(key, 0, 1)
  if (refusal === null || typeof refusal === 'string') throw new Error('nothing is held yet')
  await accounts.charging.waitForLease(refusal, 5000)
  t.equal(accounts.charging.charge(key, 0, 1), null)

  stoppedMs = 22 * HOUR_MS
  t.equal(accounts.charging.charge(key, 0, 1), null, 'a pause shorter than the leases')
  stoppedMs = 24 * HOUR_MS
  t.equal(accounts.charging.charge(key, 0, 1), 'unavailable', 'in the same turn in which the process goes on')
  t.notOk(accounts.charging.healthy, 'the request is answered with 503')
  await until(() => accounts.charging.healthy)
  t.equal(accounts.charging.charge(key, 0, 1), null, 'again once the database has confirmed them')
})
