/** PostgreSQL that crashes, restarts, does not answer or cannot be reached: every call ends, and goes on afterwards. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import pg from 'pg'
import t from 'tap'
import { UnavailableError } from '../../src/fleet/database-errors.ts'
import { openPostgresStore } from '../../src/fleet/postgres-store.ts'
import { Replica } from '../../src/fleet/replica.ts'
import { QUERY_PRICE_MICROS } from '../../src/money.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { freePort } from '../support/free-port.ts'
import { freshSchema, TestPostgres } from '../support/postgres.ts'
import { startServer } from '../support/processes.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'
import { credit, errorOf, exchangeOf, joined, opening, wantOf } from './support.ts'

const PRICE = QUERY_PRICE_MICROS
/** How long a database that answers again may take to do so: far longer than it does. */
const RETRY_MS_MAX = 10_000
const FAST = { connectMs: 1000, queryMs: 1000 }

t.setTimeout(300_000)

const server = await TestPostgres.start({ isDurable: true })
t.teardown(() => server.stop())

t.test('a crash and a restart', async t => {
  const store = await openPostgresStore(server.url, { schema: freshSchema(), ...FAST })
  t.teardown(() => store.close())
  const notices: number[] = []
  const identity = await joined(store)
  await store.hold(identity.node, { onCommitted: sequence => notices.push(sequence), onRecall() {} })
  await store.commit(identity, 0, opening(0, 100 * PRICE))
  const exchange = exchangeOf(1, { wants: [wantOf(0, 5)] })
  const answer = await store.exchange(identity, exchange)
  await until(() => notices.includes(1))

  await server.halt('immediate')
  for (let call = 0; call < 20; call++)
    t.type(await errorOf(store.exchange(identity, exchange)), UnavailableError)
  await server.resume()
  const again = await retried(() => store.exchange(identity, exchange))
  t.same(again, answer, 'the answer that was committed before the crash')
  await store.commit(identity, 1, [credit(0, PRICE, 'after')])
  await until(() => notices.includes(2))
  t.equal((await store.status()).leasedMicros, 5 * PRICE)
})

t.test('a network that is cut without a word, and one that resets', async t => {
  const proxy = await TcpProxy.open(server.port)
  t.teardown(() => proxy.close())
  const schema = freshSchema()
  const near = await openPostgresStore(server.url, { schema, ...FAST })
  t.teardown(() => near.close())
  const store = await openPostgresStore(server.urlBy(proxy.port), { schema, ...FAST })
  t.teardown(() => store.close())
  const notices: number[] = []
  const identity = await joined(store)
  await store.hold(identity.node, { onCommitted: sequence => notices.push(sequence), onRecall() {} })
  await store.commit(identity, 0, opening(0, 100 * PRICE))
  await until(() => notices.length > 0)

  proxy.silence()
  // More calls than connections: some wait for one, some open one, some had one.
  const calls = Array.from({ length: 12 }, () => store.exchange(identity, exchangeOf(1, {})))
  const outcomes = await Promise.allSettled(calls)
  t.ok(
    outcomes.every(outcome => outcome.status === 'rejected' && outcome.reason instanceof UnavailableError),
    'all of them end',
  )
  t.type(await errorOf(Replica.open(store)), UnavailableError)

  proxy.heal()
  await retried(() => store.exchange(identity, exchangeOf(1, {})))
  proxy.reset()
  await retried(() => store.exchange(identity, exchangeOf(2, {})))
  await near.commit(identity, 1, [credit(0, PRICE, 'after')])
  await until(() => notices.includes(2))
  t.pass('and notices are heard again')
})

t.test('a statement that waits for a lock is given up', async t => {
  const schema = freshSchema()
  const store = await openPostgresStore(server.url, { schema, ...FAST })
  t.teardown(() => store.close())
  const identity = await joined(store)
  await store.commit(identity, 0, opening(0, 100 * PRICE))
  const exchange = exchangeOf(1, { wants: [wantOf(0, 5)] })
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query(`begin; lock table ${schema}.account`)
  t.type(await errorOf(store.exchange(identity, exchange)), UnavailableError)
  await client.query('rollback')
  await client.end()
  const { accounts } = await retried(() => store.exchange(identity, exchange))
  t.equal(accounts[0].grantedMicros, 5 * PRICE, 'granted once')
  t.equal((await store.status()).leasedMicros, 5 * PRICE)
})

t.test('no server at all', async t => {
  const url = `postgres://postgres@127.0.0.1:${await freePort()}/postgres`
  t.type(await errorOf(openPostgresStore(url, FAST)), UnavailableError)
})

/** Calls again until the database answers, as a node does. */
async function retried<T>(call: () => Promise<T>): Promise<T> {
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

t.test('a node that starts before its database waits for it, says so, and serves', async t => {
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
