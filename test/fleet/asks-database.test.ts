/** Pages, reports and commands show what the database has now. While it is away they show nothing: 503. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openFleetAccounts } from '../../src/fleet/open-fleet-accounts.ts'
import { openPostgresStore } from '../../src/fleet/postgres-store.ts'
import { sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { startFakeServer } from '../support/processes.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { errorOf, exchangeOf, FACTS, freshStore, joined, keyOf, opening, usedOf, wantOf } from './support.ts'

const PRICE_MICROS = 28

t.setTimeout(120_000)
t.teardown(stopSharedPostgres)

t.test('what other nodes have reported is in the next answer', async t => {
  const { store, schema } = await freshStore()
  t.teardown(() => store.close())
  const other = await joined(store)
  await store.commit(other, 0, opening(0, 100 * PRICE_MICROS))
  await store.commit(other, 1, [keyOf(1, 0)])
  await store.exchange(other, exchangeOf(1, { wants: [wantOf(0, 50, 1)] }))
  const own = await openPostgresStore((await sharedPostgres()).url, { schema })
  const { accounts } = await openFleetAccounts({ dir: t.testdir(), store: own, facts: FACTS })
  t.teardown(() => accounts.close())
  for (let queries = 1; queries <= 40; queries++) {
    await store.exchange(other, exchangeOf(queries + 1, { reports: [usedOf(1, queries)] }))
    await accounts.current()
    t.match(accounts.account('a0'), {
      balanceMicros: (100 - queries) * PRICE_MICROS,
      spentMicros: queries * PRICE_MICROS,
    })
  }
})

t.test('a dashboard whose database is away answers 503, and goes on afterwards', async t => {
  const server = await sharedPostgres()
  const proxy = await TcpProxy.open(server.port)
  t.teardown(() => proxy.close())
  const dir = mkdtempSync(join(tmpdir(), 'postrie-asks-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  const node = await startFakeServer(dir, { ACCOUNTS: `${server.urlBy(proxy.port)}?schema=asks` })
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
