/** The database is replaced by an older copy of itself while a node has gone on: what was answered is booked, and to nobody else. */
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { lookupWith, stormOf } from '../support/threads.ts'
import { Fleet, type FleetNode } from './fleet.ts'

const PRICE_MICROS = 28

t.setTimeout(120_000)

t.test('what nodes have answered since is booked when they start again, and to nobody else', async t => {
  const fleet = await Fleet.start(t, 1)
  const [node] = fleet.nodes
  const { id, key } = await opened(fleet, node)
  t.same(await stormOf(node.port, 4, 50, lookupWith(key)), { 200: 50 })
  await fleet.dump()
  t.same(await stormOf(node.port, 4, 400, lookupWith(key)), { 200: 400 })
  const exited = once(node.server.child, 'exit')
  await fleet.restore()
  t.same((await exited)[0], 1, 'it does not go on with leases that the database does not know')
  await fleet.restart(node)
  t.match(node.server.output.stderr, /replaced by an older copy: \d+ micro-dollars were booked/)

  const lost = await opened(fleet, node)
  t.same(await stormOf(node.port, 4, 100, lookupWith(lost.key)), { 200: 100 })
  t.same(await stormOf(node.port, 4, 50, lookupWith(key)), { 200: 50 })
  await node.server.stop('SIGKILL')
  await fleet.restore()
  // The first account and key after the copy: they have the slots of those that are lost.
  const other = await opened(fleet)
  await t.rejects(fleet.restart(node), /the database is older than this node.*postrie node recover/s)
  const recovered = await fleet.command(['node', 'recover', join(node.folder, 'node')])
  t.match(recovered, { queries: 500, unknownKeys: 1, unknownQueries: 100 })
  t.equal((await fleet.booked(id)).spent, 500 * PRICE_MICROS)
  t.equal((await fleet.booked(other.id)).spent, 0)
})

let accounts = 0

async function opened(fleet: Fleet, node?: FleetNode): Promise<{ id: string; key: string }> {
  const email = `copy${accounts++}@example.com`
  const { id } = await fleet.command(['account', 'create', email], node)
  const { key } = await fleet.command(['key', 'create', email], node)
  return { id, key }
}
