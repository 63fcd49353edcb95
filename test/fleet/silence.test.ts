/**
 * A database that is silent for a day: the node stops charging before its leases may be given up, and charges again as soon as the
 * database answers, under its epoch or the next one. Clocks that the test moves, a proxy that cuts the network, requests over HTTP.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Accounts, AccountsOptions } from '../../src/accounts/accounts.ts'
import { openFleetAccounts } from '../../src/fleet/open-fleet-accounts.ts'
import { openPostgresStore } from '../../src/fleet/postgres-store.ts'
import type { NodeIdentity } from '../../src/fleet/store.ts'
import { type Clock, systemClock } from '../../src/ledger/clock.ts'
import { QUERY_PRICE_MICROS } from '../../src/money.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { post } from '../support/post.ts'
import { sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { startFakeServer } from '../support/processes.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until as eventually } from '../support/until.ts'
import { errorOf, FACTS } from './support.ts'
import { TestDatabase } from './test-database.ts'

const HOUR_MS = 3_600_000
const ANSWER_MS_MAX = 20_000
const FAST = { connectMs: 1000, queryMs: 1000 }

t.setTimeout(120_000)
t.teardown(stopSharedPostgres)

/** A node on a fixture's index, whose network and whose clock are the test's. */
interface World {
  app: TestApp
  proxy: TcpProxy
  database: TestDatabase
  identity(): NodeIdentity
  failures: Error[]
  /** Moves all clocks. */
  pass(ms: number): Promise<void>
  /** Copies the folder of the node, which its end removes. */
  copy(): string
  /** Starts a node. */
  open(options: AccountsOptions): Promise<Accounts>
}

async function start(t: Test): Promise<World> {
  const postgres = await sharedPostgres()
  const database = await TestDatabase.open()
  await database.setClock(Date.now())
  const proxy = await TcpProxy.open(postgres.port)
  let aheadMs = 0
  const clock: Clock = {
    ...systemClock,
    wallMs: () => systemClock.wallMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
  }
  const opened = { identity: { node: '', epoch: 0 }, dir: '' }
  const failures: Error[] = []
  const open = async (options: AccountsOptions): Promise<Accounts> => {
    const store = await openPostgresStore(postgres.urlBy(proxy.port), { schema: database.schema, ...FAST })
    const onFatal = (error: Error) => failures.push(error)
    const { accounts, identity } = await openFleetAccounts({
      ...options,
      clock,
      store,
      facts: FACTS,
      onFatal,
    })
    Object.assign(opened, { identity, dir: options.dir })
    return accounts
  }
  const app = await startApp(t, undefined, {}, {}, open)
  t.teardown(async () => {
    await proxy.close()
    await database.close()
  })
  const pass = async (ms: number) => {
    aheadMs += ms
    await database.setClock(Date.now() + aheadMs)
  }
  const copy = () => {
    const dir = join(t.testdir(), 'copy')
    cpSync(opened.dir, dir, { recursive: true })
    return dir
  }
  return { app, proxy, database, identity: () => opened.identity, failures, pass, copy, open }
}

async function lookup({ baseUrl, key }: TestApp): Promise<number> {
  return (await post(baseUrl, '/api/lookup', { zipcode: '90210', apiKey: key })).status
}

/** Requests, one after the other, until one is answered with `status`. Returns how many were answered with 200. */
async function until(app: TestApp, status: number): Promise<number> {
  const endMs = performance.now() + ANSWER_MS_MAX
  for (let answered = 0; ; ) {
    const found = await lookup(app)
    if (found === 200) answered++
    if (found === status) return answered
    if (performance.now() > endMs) throw new Error(`answers ${found}, and never ${status}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

async function lookups(app: TestApp, count: number): Promise<number> {
  let answered = 0
  for (let i = 0; i < count; i++) if ((await lookup(app)) === 200) answered++
  return answered
}

/** After the node has stopped: queries that it has reported, those of them that were charged, and what is still leased. */
async function books({ database, app }: World) {
  await app.close()
  const [row] = await database.query(
    `select (select sum(counts_sum(queries)) from node_usage u where u.node = n.id)::int as reported,
       (select sum(spent) from account)::int as spent, (select sum(leased) from account)::int as leased,
       (select coalesce(sum(micros), 0) from write_off)::int as given_up, n.epoch from node n`,
  )
  const { reported, spent, leased, given_up: givenUp, epoch } = row
  t.same(await database.faults(), [])
  return { reported, charged: Number(spent) / QUERY_PRICE_MICROS, leased, givenUp: Number(givenUp), epoch }
}

t.test('a node that the database gave nothing up of goes on when it is heard again', async t => {
  const world = await start(t)
  const { app, proxy } = world
  let answered = await until(app, 200)
  answered += await lookups(app, 20)
  proxy.silence()
  answered += await lookups(app, 20)
  await world.pass(23.5 * HOUR_MS)
  answered += await until(app, 503)
  proxy.heal()
  answered += await until(app, 200)
  answered += await lookups(app, 20)
  t.equal(world.identity().epoch, 1)
  t.same(world.failures, [])
  const { reported, charged, leased, givenUp, epoch } = await books(world)
  t.same(
    { reported, charged, leased, givenUp, epoch },
    { reported: answered, charged: answered, leased: 0, givenUp: 0, epoch: 1 },
  )
})

t.test('while the database is away, no endpoint says that the money is gone', async t => {
  const { app, proxy } = await start(t)
  const { baseUrl, key: apiKey } = app
  const records = Array.from({ length: 990 }, () => ({ postalCode: '90210', countryCode: 'US' }))
  t.equal((await post(baseUrl, '/api/validate-bulk', { apiKey, records })).status, 200)
  await until(app, 402)
  proxy.silence()
  await eventually(async () => (await lookup(app)) === 503)
  const nearest = () => post(baseUrl, '/api/nearest', { apiKey, zipcode: '90210' })
  t.same([await lookup(app), (await nearest()).status], [503, 503])
  proxy.heal()
  await until(app, 402)
})

t.test('a node whose leases were given up ends, and its next start reports what it has answered', async t => {
  const world = await start(t)
  const { app, proxy, database, failures } = world
  let answered = await until(app, 200)
  answered += await lookups(app, 20)
  proxy.silence()
  answered += await lookups(app, 20)
  await world.pass(24.5 * HOUR_MS)
  answered += await until(app, 503)
  const { micros } = await database.store.writeOff(world.identity().node)
  t.ok(micros > 0)
  proxy.heal()
  await eventually(() => failures.length > 0)
  t.match(failures, [/its leases were given up/])
  t.equal(await lookup(app), 503)
  const dir = world.copy()
  await app.close()
  await (await world.open({ dir })).close()
  const { reported, charged, leased, givenUp } = await books(world)
  t.equal(reported, answered, 'every answer is reported once')
  t.equal(leased, 0)
  t.ok(givenUp >= (Number(reported) - charged) * QUERY_PRICE_MICROS, 'what is forgiven had been given up')
})

t.test('a dashboard whose database is away answers 503, and goes on afterwards', async t => {
  const server = await sharedPostgres()
  const proxy = await TcpProxy.open(server.port)
  t.teardown(() => proxy.close())
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
