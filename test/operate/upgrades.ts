/** Upgrades under load: how long nothing is answered while a server is stopped and the next one started on the same ports. */
import { join } from 'node:path'
import { bundleInto } from '../support/bundled.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { freePort } from '../support/free-port.ts'
import { postrieJson, startServer, type TestServer } from '../support/processes.ts'
import { Load } from './load.ts'

/** A server drains for three seconds at most. */
const STOP_MS_MAX = 20_000

export interface Gaps {
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
export async function measureUpgrades(dir: string, upgrades: number): Promise<Gaps> {
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
