/** An upgrade: the old server drains, the next one takes over its ports, and no request that was read goes unanswered. */
import t from 'tap'
import { writeIndex } from '../support/fixture-index.ts'
import { freePort } from '../support/free-port.ts'
import { postrieJson, startServer } from '../support/processes.ts'
import { Load } from './load.ts'

const UPGRADES = Number(process.env.UPGRADES ?? 2)

const TIMEOUT_MS = 30_000 + UPGRADES * 15_000

t.test('requests in flight are answered before a server stops', { timeout: TIMEOUT_MS }, async t => {
  const dir = t.testdir()
  writeIndex(dir)
  const ports = { PORT: String(await freePort()), CONTROL_PORT: String(await freePort()) }
  let server = await startServer(dir, ports)
  t.teardown(() => server.child.kill('SIGKILL'))
  await postrieJson(dir, ['account', 'credit', 'demo', '1000', '--reference', 'upgrades'])
  const load = new Load(server.api, server.key)
  for (let upgrade = 0; upgrade < UPGRADES; upgrade++) {
    await load.more()
    t.equal(await server.stop(), 0)
    server = await startServer(dir, ports)
    await load.more()
  }
  await load.stop()
  t.same(load.failed, [])
  t.ok(load.answered >= UPGRADES * 100)
  t.equal(await server.stop(), 0)
})
