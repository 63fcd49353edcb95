/** The folder of a serving node is copied, as with a cloned disk. Only one of the two may go on. */

import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { newNode, nodeFolder, writeNodeFile } from '../../../src/billing/fleet/node-folder.ts'
import { stopSharedPostgres } from '../../support/postgres.ts'
import { lookupWith, sendCopies } from '../../support/threads.ts'
import { Fleet, type FleetNode } from './fleet.ts'
import { freshStore, openNode } from './support.ts'

const PRICE_MICROS = 28

t.setTimeout(240_000)
t.teardown(stopSharedPostgres)

t.test('a copy of a serving node is refused, and the last started copy is the node', async t => {
  const fleet = await Fleet.start(t, 1)
  const [original] = fleet.nodes
  const { id, key } = await fleet.openAccount(1000)
  const copy: FleetNode = { ...original, folder: join(t.testdir(), 'copy') }
  const other = join(t.testdir(), 'other')
  for (const folder of [copy.folder, other])
    cpSync(original.folder, folder, { recursive: true, filter: file => !file.endsWith('.sock') })

  t.same(await answers(original, key), { 200: 100 })
  // Both wait for a sign of life of the original.
  await Promise.all([
    t.rejects(fleet.restart(copy), /is a copy: node .* runs elsewhere/),
    t.rejects(fleet.command(['node', 'recover', join(other, 'node')]), /is a copy: node .* runs elsewhere/),
  ])
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
  const { store, schema } = await freshStore()
  const dir = t.testdir()
  mkdirSync(nodeFolder(dir), { mode: 0o700 })
  await writeNodeFile(nodeFolder(dir), { ...newNode(), fleet: randomUUID() })
  await t.rejects(openNode({ dir, database: store }), /belongs to fleet .* Correct ACCOUNTS or DATA_DIR/)
  const { store: again } = await freshStore({ schema })
  t.same((await again.status()).nodes, [])
  await again.close()
})

function answers({ port }: FleetNode, key: string): Promise<Record<number, number>> {
  return sendCopies(port, 4, 100, lookupWith(key))
}
