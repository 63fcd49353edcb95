/** The connections to PostgreSQL: how many there are, and what becomes of calls that wait for one. */
import t from 'tap'
import { connectionOptions, Database } from '../../src/fleet/database.ts'
import { UnavailableError } from '../../src/fleet/database-errors.ts'
import { sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { errorOf } from './support.ts'

const OPTIONS = { schema: 'public', connectMs: 2000, queryMs: 10_000 }

t.setTimeout(300_000)
t.teardown(stopSharedPostgres)

t.test('calls share a few connections', async t => {
  const { url } = await sharedPostgres()
  const database = new Database({ ...OPTIONS, url }, 2)
  const calls = Array.from({ length: 20 }, () => database.row('select pg_backend_pid() as process'))
  const processes = new Set((await Promise.all(calls)).map(({ process }) => process))
  t.equal(processes.size, 2)
  await database.close()
})

t.test('calls that wait for a connection fail when none can be opened', async t => {
  const server = await sharedPostgres()
  const proxy = await TcpProxy.open(server.port)
  const database = new Database({ ...OPTIONS, url: server.urlBy(proxy.port) }, 2)
  await database.row('select 1 as one')
  // Two calls have the connections, and ten wait for one of them.
  const calls = Array.from({ length: 12 }, () => errorOf(database.row('select pg_sleep(20)')))
  while (
    (await server.query("select from pg_stat_activity where query like '%pg_sleep(20)' and state = 'active'"))
      .length < 2
  );
  await proxy.close()
  const errors = await Promise.all(calls)
  t.ok(errors.every(error => error instanceof UnavailableError))
  t.notOk(
    errors.some(error => /was free for/.test(String(error))),
    'none of them waits until its time is up',
  )
  await database.close()
})

t.test('calls of a database that is being closed are refused', async t => {
  const { url } = await sharedPostgres()
  const database = new Database({ ...OPTIONS, url }, 1)
  await database.row('select 1 as one')
  const calls = Array.from({ length: 3 }, () => errorOf(database.row('select pg_sleep(20)')))
  await database.close()
  for (const error of await Promise.all(calls)) t.type(error, UnavailableError)
})

t.test('an address with a parameter or a mode that is not known is refused', async t => {
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
