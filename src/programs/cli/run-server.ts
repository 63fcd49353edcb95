/** Runs a serving process: starts it, waits for a signal or a failure, and stops it in order. */

import type { DemoAccount } from '../../billing/demo-account.ts'
import { NEW_ACCOUNT_QUERIES } from '../../billing/money.ts'
import { EXIT, exitCodeOf } from '../../platform/exit.ts'
import { endNow } from '../../platform/libc.ts'
import { createLog, type Log } from '../../platform/log.ts'
import { clientUrl } from '../../platform/server-address.ts'
import type { Config } from '../../platform/settings/config.ts'
import { bold, dim } from '../../platform/terminal.ts'
import { type Server, startServer } from '../../server.ts'
import type { StartDataPlane } from '../../service/data-plane.ts'
import { OLD_PARSER } from '../../service/http/binary.ts'

/** Serves until a signal or a failure. Resolves with the exit code. @throws the errors of `startServer` */
export async function runServer(config: Config, startDataPlane: StartDataPlane): Promise<number> {
  const log = createLog(config.logLevel)
  // A service must survive a full disk or a broken pipe of its output.
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners('error').on('error', () => {})
  // Before the start, so that a signal during the start also ends the process in order.
  const signal = firstSignal()
  const giveUp = new AbortController()
  signal.then(() => giveUp.abort())
  // A SIGHUP during the start is ignored: the start opens the newest index.
  let reload: () => Promise<unknown> = async () => undefined
  const onHangUp = () => {
    reload().catch(err => log.error({ err }, 'the index could not be reloaded'))
  }
  if (!isInTerminal()) process.on('SIGHUP', onHangUp)
  const server = await startServer(config, startDataPlane, log, giveUp.signal)
  reload = () => server.reload()
  const { port, controlPort } = server
  log.info({ host: config.host, port, controlPort, dataDir: config.dataDir, pid: process.pid }, 'ready')
  if (OLD_PARSER !== null) log.warn(OLD_PARSER)
  try {
    // Before the ready message: its readers may rely on the key.
    if (server.demoAccount !== null) await print(firstKeyBanner(config, server.port, server.demoAccount))
    await print(readyBanner(config, server))
    log.info({ signal: await Promise.race([signal, server.failure]) }, 'stopping')
    await stop(server, log, EXIT.failed)
    log.info('stopped')
    return EXIT.ok
  } catch (error) {
    log.fatal({ err: error }, 'the service ends, so that it acknowledges no charge that is not recorded')
    // Frees the ports and the lock as far as possible. The error above covers unwritten charges.
    await stop(server, log, exitCodeOf(error))
    return exitCodeOf(error)
  }
}

/** Stops the server. If a part does not stop, ends the process, so that the supervisor gets the exit code. */
async function stop(server: Server, log: Log, code: number): Promise<void> {
  try {
    await server.close()
  } catch (err) {
    log.fatal({ err }, 'a part of the service did not stop: the process ends anyway')
    endNow(code)
  }
}

function print(text: string): Promise<void> {
  return new Promise(resolve => {
    process.stdout.write(text, () => resolve())
  })
}

/** Returns true if SIGHUP means a closed window. Elsewhere, supervisors request a reload with it. */
function isInTerminal(): boolean {
  return process.stdin.isTTY === true
}

/** Resolves with the first signal that ends the service. A second signal ends the process at once. */
function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise(resolve => {
    const names = ['SIGINT', 'SIGTERM', ...(isInTerminal() ? (['SIGHUP'] as const) : [])] as const
    const end = (name: NodeJS.Signals) => {
      for (const each of names) process.off(each, end)
      resolve(name)
    }
    for (const name of names) process.on(name, end)
  })
}

function readyBanner(config: Config, server: Pick<Server, 'port' | 'entrance'>): string {
  const lines = [
    `${bold('postrie is ready')}`,
    `  API        ${clientUrl(config.host, server.port)}`,
    `  dashboard  ${server.entrance}`,
    `  data       ${config.dataDir}`,
  ]
  return `${lines.join('\n')}\n`
}

function firstKeyBanner(config: Config, port: number, { key }: DemoAccount): string {
  const api = clientUrl(config.host, port)
  // Not a constant: the first toLocaleString loads tables, which takes 15 ms.
  const freeQueries = NEW_ACCOUNT_QUERIES.toLocaleString('en')
  const lines = [
    `The account 'demo' has ${freeQueries} free queries. ${bold('Its key is shown this once:')}`,
    `  ${key}`,
    '',
    dim('Try it:'),
    `  curl ${api}/api/lookup -H 'Content-Type: application/json' -d '{"zipcode":"90210","apiKey":"${key}"}'`,
    '',
  ]
  return `${lines.join('\n')}\n`
}
