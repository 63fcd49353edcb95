/** Nodes have clocks an hour apart. The database's clock counts. */

import { join } from 'node:path'
import t from 'tap'
import { openFleetDatabase } from '../../../src/billing/fleet/fleet-database.ts'
import { systemClock } from '../../../src/billing/ledger/timeline.ts'
import { authenticate, keyOf } from '../../support/accounts.ts'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../../support/postgres.ts'
import { until } from '../../support/until.ts'
import { openNode } from './support.ts'

const HOUR_MS = 3_600_000
const NO_RULES = { limits: null, endpoints: null, addresses: null }

t.setTimeout(120_000)
t.teardown(stopSharedPostgres)

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
