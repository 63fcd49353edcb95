/** An older copy replaces the database while a node goes on. */
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { lookupWith, sendCopies } from '../../support/threads.ts'
import { Fleet, type FleetNode } from './fleet.ts'

const PRICE_MICROS = 28

t.setTimeout(120_000)

t.test('answers since the copy are booked to the right accounts at the next start', async t => {
  const fleet = await Fleet.start(t, 1)
  const [node] = fleet.nodes
  const { id, key } = await openAccount(fleet, node)
  t.same(await sendCopies(node.port, 4, 50, lookupWith(key)), { 200: 50 })
  await fleet.dump()
  t.same(await sendCopies(node.port, 4, 400, lookupWith(key)), { 200: 400 })
  const exited = once(node.server.child, 'exit')
  await fleet.restore()
  t.same((await exited)[0], 1, 'a node with unknown leases ends')
  await fleet.restart(node)
  t.match(node.server.output.stderr, /replaced by an older copy: \d+ micro-dollars were booked/)

  const lost = await openAccount(fleet, node)
  t.same(await sendCopies(node.port, 4, 100, lookupWith(lost.key)), { 200: 100 })
  t.same(await sendCopies(node.port, 4, 50, lookupWith(key)), { 200: 50 })
  await node.server.stop('SIGKILL')
  await fleet.restore()
  // The first account and key after the copy get the slots of the lost ones.
  const other = await openAccount(fleet)
  await t.rejects(fleet.restart(node), /the database is older than this node.*postrie node recover/s)
  const recovered = await fleet.command(['node', 'recover', join(node.folder, 'node')])
  t.match(recovered, { queries: 500, unknownKeys: 1, unknownQueries: 100 })
  t.equal((await fleet.readAccount(id)).spent, 500 * PRICE_MICROS)
  t.equal((await fleet.readAccount(other.id)).spent, 0)
})

let accounts = 0

async function openAccount(fleet: Fleet, node?: FleetNode): Promise<{ id: string; key: string }> {
  const email = `copy${accounts++}@example.com`
  const { id } = await fleet.command(['account', 'create', email], node)
  const { key } = await fleet.command(['key', 'create', email], node)
  return { id, key }
}
