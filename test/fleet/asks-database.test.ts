/** Pages show what the database has now. While it is away they show nothing: 503. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { startFakeServer } from '../support/processes.ts'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { errorOf } from './support.ts'

t.setTimeout(120_000)
t.teardown(stopSharedPostgres)

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
