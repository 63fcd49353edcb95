/** The folder of a node is copied while the node serves, as a machine's disk is cloned: only one of the two may go on. */
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { stormOf } from '../support/threads.ts'
import { Fleet, type FleetNode } from './fleet.ts'

const PRICE_MICROS = 28

t.setTimeout(120_000)

t.test('a start in a copy ends the original, and the original is not started again', async t => {
  const fleet = await Fleet.start(t, 1)
  const [original] = fleet.nodes
  const { id, email } = await fleet.command(['account', 'create', 'clone@example.com'], original)
  const { key } = await fleet.command(['key', 'create', email], original)
  const copy: FleetNode = { ...original, folder: join(t.testdir(), 'copy') }
  cpSync(original.folder, copy.folder, { recursive: true, filter: file => !file.endsWith('.sock') })

  t.same(await answers(original, key), { 200: 100 })
  const exited = once(original.server.child, 'exit')
  await fleet.restart(copy)
  t.teardown(() => copy.server.stop('SIGKILL'))
  t.same((await exited)[0], 1)
  await t.rejects(fleet.restart(original), /is a copy: its node .* has been started elsewhere since/)
  t.same(await answers(copy, key), { 200: 100 })
  t.equal(copy.server.child.exitCode, null, 'the refused start has not ended it')
  await copy.server.stop()
  await fleet.restart(copy)
  await copy.server.stop()
  t.equal((await fleet.booked(id)).spent, 200 * PRICE_MICROS)
})

function answers({ port }: FleetNode, apiKey: string): Promise<Record<number, number>> {
  const request = { path: '/api/lookup', body: JSON.stringify({ apiKey, zipcode: '90210' }) }
  return stormOf(port, 4, 100, request)
}
