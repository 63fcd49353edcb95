/** An upgrade: the old server drains, the next one takes over its ports, and no request that was read goes unanswered. */
import { join } from 'node:path'
import t from 'tap'
import { bundleInto } from '../support/bundled.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { freePort } from '../support/free-port.ts'
import { postrieJson, startServer, type TestServer } from '../support/processes.ts'
import { Load } from './load.ts'

const UPGRADES = Number(process.env.UPGRADES ?? 2)

const TIMEOUT_MS = 30_000 + UPGRADES * 15_000

t.test('requests in flight are answered before a server stops', { timeout: TIMEOUT_MS }, async t => {
  const { gapsMs, answered, failed } = await measureUpgrades(t.testdir(), UPGRADES)
  t.same(failed, [])
  t.ok(answered >= UPGRADES * 100)
  t.equal(gapsMs.length, UPGRADES)
  const [median, longest] = [gapsMs[Math.floor(UPGRADES / 2)], gapsMs[UPGRADES - 1]].map(Math.round)
  t.comment(
    `${UPGRADES} upgrades: ${answered} answers, gap ${median} ms in the median, ${longest} ms at the longest`,
  )
})

/** A server drains for three seconds at most. */
const STOP_MS_MAX = 20_000

interface Gaps {
  /** The longest time between two answers around each upgrade, in milliseconds, ascending. */
  gapsMs: number[]
  /** Answers 200 of the whole run. */
  answered: number
  /** `Load.failed`. */
  failed: readonly string[]
}

/**
 * Stops and starts a server on `dir` so many times, while clients ask it as fast as they can. No server outlives it.
 * @throws Error when a server does not stop or start
 */
async function measureUpgrades(dir: string, upgrades: number): Promise<Gaps> {
  const cli = bundleInto(join(dir, 'bundle'))
  writeIndex(dir)
  const ports = { PORT: String(await freePort()), CONTROL_PORT: String(await freePort()) }
  let server = await startServer(dir, ports, cli)
  const gapsMs: number[] = []
  let load: Load | undefined
  try {
    await postrieJson(dir, ['account', 'credit', 'demo', '1000', '--reference', 'upgrades'])
    load = new Load(server.api, server.key)
    for (let upgrade = 0; upgrade < upgrades; upgrade++) {
      await load.more()
      load.startGap()
      await stop(server)
      server = await startServer(dir, ports, cli)
      await load.more()
      gapsMs.push(load.longestMs)
    }
    return { gapsMs: gapsMs.sort((a, b) => a - b), answered: load.answered, failed: load.failed }
  } finally {
    await load?.stop()
    await stop(server)
  }
}

/** @throws Error when it does not end by itself, or with another code than 0 */
async function stop(server: TestServer): Promise<void> {
  const late = setTimeout(() => server.child.kill('SIGKILL'), STOP_MS_MAX)
  const code = await server.stop()
  clearTimeout(late)
  if (code !== 0) throw new Error(`the server ended with ${code}: ${server.output.stderr}`)
}
