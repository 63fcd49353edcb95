/** Nodes whose clocks are an hour apart: what ends at a time ends on all of them, by the database's clock. */
import { join } from 'node:path'
import t from 'tap'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { openFleetAccounts } from '../../src/fleet/open-fleet-accounts.ts'
import { openPostgresStore } from '../../src/fleet/postgres-store.ts'
import { systemClock } from '../../src/ledger/clock.ts'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { FACTS } from './support.ts'

const HOUR_MS = 3_600_000
const NO_RULES = { limits: null, endpoints: null, addresses: null }

t.setTimeout(120_000)
t.teardown(stopSharedPostgres)

t.test('a key expires, and the secret of a rolled one ends, on every node at once', async t => {
  const schema = freshSchema()
  const notices: string[] = []
  const folder = t.testdir()
  const openNode = async (name: string, apartMs: number): Promise<Accounts> => {
    const store = await openPostgresStore((await sharedPostgres()).url, { schema })
    const clock = { ...systemClock, wallMs: () => Date.now() + apartMs }
    const onNotice = (notice: string) => notices.push(notice)
    const options = { dir: join(folder, name), store, facts: FACTS, clock, onNotice }
    const { accounts } = await openFleetAccounts(options)
    t.teardown(() => accounts.close())
    return accounts
  }
  const right = await openNode('right', 0)
  t.same(notices, [])
  const behind = await openNode('behind', -HOUR_MS)
  const ahead = await openNode('ahead', HOUR_MS)
  t.match(notices, [/3600 s behind that of the database/, /3600 s ahead of that of the database/])
  const nodes = { right, behind, ahead }
  const { id } = await right.createAccount({ email: 'clock@example.com' })

  const expiring = await right.createKey(id)
  const expiresMs = Date.now() + 3000
  await right.setKeyRules(expiring.id, { expiresMs, ...NO_RULES })
  for (const [name, node] of Object.entries(nodes)) {
    await until(() => knows(node, expiring.key))
    t.pass(`known to the node that is ${name}`)
  }
  t.ok(Date.now() < expiresMs, 'all three have answered it before its end')
  await until(() => Date.now() > expiresMs + 50)
  for (const [name, node] of Object.entries(nodes)) t.notOk(knows(node, expiring.key), name)

  for (const [name, node] of Object.entries(nodes)) {
    const rolled = await right.createKey(id)
    for (const other of Object.values(nodes)) await until(() => knows(other, rolled.key))
    await node.rollKey(rolled.id, 0)
    for (const other of Object.values(nodes)) await until(() => !knows(other, rolled.key))
    t.pass(`the earlier secret has ended everywhere after the node that is ${name} has rolled the key`)
  }
})

function knows(accounts: Accounts, secret: string): boolean {
  const bytes = Buffer.from(secret)
  return accounts.charging.authenticate(bytes, 0, bytes.length) !== undefined
}
