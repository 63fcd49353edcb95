/** PostgreSQL crashes, restarts, hangs or is out of reach. Every call ends, and later calls work. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import pg from 'pg'
import t from 'tap'
import { Replica } from '../../../src/billing/fleet/books.ts'
import { UnavailableError } from '../../../src/billing/fleet/database-errors.ts'
import { openFleetDatabase } from '../../../src/billing/fleet/fleet-database.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { freshSchema, TestPostgres } from '../../support/postgres.ts'
import { startServer } from '../../support/processes.ts'
import { TcpProxy } from '../../support/tcp-proxy.ts'
import { until } from '../../support/until.ts'
import { accountEvents, credit, errorOf, exchangeOf, grantedOf, joinFleet, wantsOf } from './support.ts'

/** Maximum time until a recovered database answers: far longer than it takes. */
const RETRY_MS_MAX = 10_000
const FAST = { connectMs: 1000, queryMs: 1000 }

t.setTimeout(300_000)

const server = await TestPostgres.start({ isDurable: true })
t.teardown(() => server.stop())

t.test('calls continue after a silent cut and a reset of the network', async t => {
  const proxy = await TcpProxy.open(t, server.port)
  const schema = freshSchema()
  const near = await openFleetDatabase(server.url, { schema, ...FAST })
  t.teardown(() => near.close())
  const store = await openFleetDatabase(server.urlBy(proxy.port), { schema, ...FAST })
  t.teardown(() => store.close())
  const notices: number[] = []
  const identity = await joinFleet(store)
  store.notices = { onCommitted: sequence => notices.push(sequence), onRecall() {} }
  await store.lockNode(identity.node)
  await store.commit(identity, 0, accountEvents(0, 100 * QUERY_PRICE_MICROS))
  await until(() => notices.length > 0)

  proxy.silence()
  // There are more calls than connections: some wait for one, some open one, some have one.
  const calls = Array.from({ length: 12 }, () => store.exchange(identity, exchangeOf(1, {})))
  const outcomes = await Promise.allSettled(calls)
  t.ok(
    outcomes.every(outcome => outcome.status === 'rejected' && outcome.reason instanceof UnavailableError),
    'all of them end',
  )
  t.type(await errorOf(Replica.open(store)), UnavailableError)

  proxy.heal()
  await callUntilAnswered(() => store.exchange(identity, exchangeOf(1, {})))
  proxy.reset()
  await callUntilAnswered(() => store.exchange(identity, exchangeOf(2, {})))
  // Those of commits without a connection are lost.
  for (let sequence = 1; notices.length === 1; sequence++) {
    await near.commit(identity, sequence, [credit(0, QUERY_PRICE_MICROS, `${sequence}`)])
    await new Promise(resolve => setImmediate(resolve))
  }
  t.pass('notices arrive again')
})

t.test('a statement that waits for a lock ends', async t => {
  const schema = freshSchema()
  const store = await openFleetDatabase(server.url, { schema, ...FAST })
  t.teardown(() => store.close())
  const identity = await joinFleet(store)
  await store.commit(identity, 0, accountEvents(0, 100 * QUERY_PRICE_MICROS))
  const exchange = exchangeOf(1, { wants: wantsOf(0, 5) })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`begin; lock table ${schema}.holder`)
  t.type(await errorOf(store.exchange(identity, exchange)), UnavailableError)
  await client.query('rollback')
  await client.end()
  const answer = await callUntilAnswered(() => store.exchange(identity, exchange))
  t.equal(grantedOf(answer, 0), 5 * QUERY_PRICE_MICROS, 'granted once')
  t.equal((await store.status()).leasedMicros, 5 * QUERY_PRICE_MICROS)
})

/** Calls again until the database answers, as a node does. */
async function callUntilAnswered<T>(call: () => Promise<T>): Promise<T> {
  const endMs = performance.now() + RETRY_MS_MAX
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof UnavailableError) || performance.now() > endMs) throw error
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
}

t.test('a node that starts before its database waits, says so, and then serves', async t => {
  await server.halt()
  let attempts = 0
  const nobody = createServer(socket => {
    attempts++
    socket.destroy()
  })
  await once(nobody.listen(server.port, '127.0.0.1'), 'listening')
  const dir = t.testdir()
  writeIndex(dir)
  const starting = startServer(dir, { ACCOUNTS: server.url, LOG_LEVEL: 'warn' })
  await until(() => attempts >= 2)
  await new Promise(resolve => nobody.close(resolve))
  await server.resume()
  const node = await starting
  t.teardown(() => node.stop())
  t.match(node.output.stderr, /the start waits for the database of ACCOUNTS/)
  t.equal((await fetch(`${node.api}/readyz`)).status, 200)
})
