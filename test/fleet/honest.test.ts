/** A node says what it knows: nothing final while the database is away, and at rest the same balance as every other node. */
import t from 'tap'
import { TcpProxy } from '../support/tcp-proxy.ts'
import { stormOf } from '../support/threads.ts'
import { until } from '../support/until.ts'
import { Fleet, type FleetNode } from './fleet.ts'

const PRICE_MICROS = 28
const AT_REST_MS = 2000

t.setTimeout(240_000)

const fleet = await Fleet.start(t, 1)
const proxy = await TcpProxy.open(fleet.postgres.port)
t.teardown(() => proxy.close())
const [near] = fleet.nodes
const far = await fleet.add({ ACCOUNTS: fleet.postgres.urlBy(proxy.port) })

t.test('at rest all nodes show one balance', async t => {
  const key = await opened('rest@example.com')
  for (const node of [near, far]) t.same(await stormOf(node.port, 4, 200, lookup(key)), { 200: 200 })
  t.same(await stormOf(near.port, 4, 100, lookup(key)), { 200: 100 })
  await fleet.command(['account', 'credit', 'rest@example.com', '5', '--reference', 'rest'], far)
  await new Promise(resolve => setTimeout(resolve, AT_REST_MS))
  const expected = (5_028_000 - 500 * PRICE_MICROS) / 1_000_000
  t.same(await Promise.all([near, far].map(node => balance(node, key))), [expected, expected])
})

t.test('without its database a node is not ready, and refuses nothing for good', async t => {
  const key = await opened('away@example.com')
  t.same(await stormOf(far.port, 4, 1000, lookup(key)), { 200: 1000 })
  const status = async () => (await post(far, '/api/lookup', { apiKey: key, zipcode: '90210' })).status
  t.equal(await status(), 402)
  t.equal(await readiness(far), '{"status":"ok"}')
  proxy.silence()
  await until(async () => (await status()) === 503)
  await until(async () => /the database of the fleet does not answer/.test(await readiness(far)))
  for (let request = 0; request < 20; request++) t.equal(await status(), 503)
  t.equal(await readiness(near), '{"status":"ok"}', 'the other node has its database')
  proxy.heal()
  await until(async () => (await readiness(far)) === '{"status":"ok"}')
  t.equal(await status(), 402)
})

async function opened(email: string): Promise<string> {
  await fleet.command(['account', 'create', email], near)
  const { key } = await fleet.command(['key', 'create', email], near)
  await until(async () => (await post(far, '/api/balance', { apiKey: key })).status === 200)
  return key
}

function lookup(apiKey: string): { path: string; body: string } {
  return { path: '/api/lookup', body: JSON.stringify({ apiKey, zipcode: '90210' }) }
}

async function balance(node: FleetNode, apiKey: string): Promise<unknown> {
  return ((await (await post(node, '/api/balance', { apiKey })).json()) as { balance: unknown }).balance
}

async function readiness({ port }: FleetNode): Promise<string> {
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).text()
}

function post({ port }: FleetNode, path: string, body: object): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: JSON.stringify(body) })
}
