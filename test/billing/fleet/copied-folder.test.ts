/** The folder of a serving node is copied, as with a cloned disk. Only one of the two may go on. */

import { randomUUID } from 'node:crypto'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { newNode, nodeFolder, writeNodeFile } from '../../../src/billing/fleet/node-folder.ts'
import { openFleetAccounts } from '../../../src/billing/fleet/open-fleet-accounts.ts'
import { CHARGED } from '../../../src/service/endpoints/table.ts'
import { freshSchema, stopSharedPostgres } from '../../support/postgres.ts'
import { lookupWith, sendCopies } from '../../support/threads.ts'
import { Fleet, type FleetNode } from './fleet.ts'
import { FACTS, freshStore } from './support.ts'

const PRICE_MICROS = 28

t.setTimeout(240_000)
t.teardown(stopSharedPostgres)

t.test('a copy of a serving node is refused, and the last started copy is the node', async t => {
  const fleet = await Fleet.start(t, 1)
  const [original] = fleet.nodes
  const { id, key } = await fleet.openAccount(1000)
  const copy: FleetNode = { ...original, folder: join(t.testdir(), 'copy') }
  const takeCopy = () =>
    cpSync(original.folder, copy.folder, { recursive: true, filter: file => !file.endsWith('.sock') })
  takeCopy()

  t.same(await answers(original, key), { 200: 100 })
  await t.rejects(fleet.restart(copy), /is a copy: node .* runs elsewhere/)
  await t.rejects(
    fleet.command(['node', 'recover', join(copy.folder, 'node')]),
    /is a copy: node .* runs elsewhere/,
  )
  t.same(await answers(original, key), { 200: 100 })
  t.equal(original.server.child.exitCode, null, 'the copy has not ended it')

  // The database knows charges that the copy has not counted.
  await original.server.stop('SIGKILL')
  await fleet.restart(copy)
  t.teardown(() => copy.server.stop('SIGKILL'))
  t.same(await answers(copy, key), { 200: 100 })
  await copy.server.stop()
  await t.rejects(fleet.restart(original), /is a copy: .*has been started elsewhere since/)
  await fleet.restart(copy)
  await copy.server.stop()
  const { spent } = await fleet.readAccount(id)
  t.ok(spent >= 200 * PRICE_MICROS && spent <= 300 * PRICE_MICROS, 'all but the last charges of the original')
})

t.test('a folder of another fleet is refused before the database records it', async t => {
  const { store } = await freshStore()
  t.teardown(() => store.close())
  const dir = t.testdir()
  await writeNodeFile(nodeFolder(dir), { ...newNode(), fleet: randomUUID() })
  await t.rejects(
    openFleetAccounts({ usageClasses: CHARGED, dir, store, facts: FACTS }),
    /belongs to fleet .* Correct ACCOUNTS or DATA_DIR/,
  )
  t.same((await store.status()).nodes, [])
})

t.test('a node whose accounts have limits starts again', async t => {
  const schema = freshSchema()
  const dir = t.testdir()
  const open = async () => {
    const { store } = await freshStore({ schema })
    return (await openFleetAccounts({ usageClasses: CHARGED, dir, store, facts: FACTS })).accounts
  }
  const accounts = await open()
  const { id } = await accounts.createAccount({ email: 'limits@example.com' })
  const { key: secret } = await accounts.createKey(id)
  await accounts.setLimits(id, { perMinute: 100, perHour: 200, perDay: null })
  const { charging } = accounts
  const key = charging.authenticate(Buffer.from(secret), 0, secret.length)
  if (key === undefined) throw new Error('the key is not known')
  charging.admit(key, 1)
  if (charging.shortfall !== null) await charging.lease(charging.shortfall, 5000)
  t.equal(charging.admit(key, 1), 0)
  await accounts.close()
  const again = await open()
  t.match(again.account(id), { limits: { perMinute: 100 } })
  await again.close()
})

function answers({ port }: FleetNode, key: string): Promise<Record<number, number>> {
  return sendCopies(port, 4, 100, lookupWith(key))
}
