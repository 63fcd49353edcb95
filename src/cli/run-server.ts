/** The life of a serving process: start, say so, wait for a signal or a failure, stop in order. */
import type { StartDataPlane } from '../data-plane.ts'
import { endNow } from '../platform/libc.ts'
import { createLog, type Log } from '../platform/log.ts'
import { type Server, startServer } from '../server.ts'
import type { Config } from '../settings/config.ts'
import { firstKeyBanner, readyBanner } from './banner.ts'
import { runBuilder } from './builder.ts'
import { EXIT } from './exit.ts'

/** Serves until a signal or a failure. Resolves with the exit code. @throws what `startServer` throws, before it is ready. */
export async function runServer(config: Config, startDataPlane: StartDataPlane): Promise<number> {
  const log = createLog(config.logLevel)
  surviveOutput()
  // Before the start, so that a signal in its middle ends the process in order as well.
  const signal = firstSignal()
  // A SIGHUP during the start has nothing to do: the index that is being opened is the newest.
  let reload: () => Promise<unknown> = async () => undefined
  const onHangUp = () => {
    reload().catch(err => log.error({ err }, 'the index could not be reloaded'))
  }
  if (!isInTerminal()) process.on('SIGHUP', onHangUp)
  const server = await startServer(config, startDataPlane, log, () => runBuilder(['build'], 'stderr'))
  reload = () => server.reload()
  const { port, controlPort } = server
  log.info({ host: config.host, port, controlPort, dataDir: config.dataDir, pid: process.pid }, 'ready')
  try {
    // Before the ready message: whoever has read that may rely on the key to stay.
    if (
      server.firstAccount !== null &&
      (await print(firstKeyBanner(config, server.port, server.firstAccount)))
    )
      await server.firstAccount.shown()
    await print(readyBanner(config, server))
    log.info({ signal: await Promise.race([signal, server.failure]) }, 'stopping')
    await stop(server, log)
    log.info('stopped')
    return EXIT.ok
  } catch (error) {
    log.fatal({ err: error }, 'the service ends, so that it acknowledges no charge that is not recorded')
    // Frees the ports and the lock as far as possible; what cannot be written any more has been reported above.
    await stop(server, log)
    return EXIT.failed
  }
}

/** Stops the server. When a part of it does not stop, the process ends here: only so its exit code reaches the supervisor. */
async function stop(server: Server, log: Log): Promise<void> {
  try {
    await server.close()
  } catch (err) {
    log.fatal({ err }, 'a part of the service did not stop: the process ends all the same')
    endNow(EXIT.failed)
  }
}

/** A service outlives a full disk and a pipe that nobody reads: printing is not its purpose. */
function surviveOutput(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners('error').on('error', () => {})
}

/** Writes to standard output. False when that failed. */
function print(text: string): Promise<boolean> {
  return new Promise(resolve => {
    process.stdout.write(text, error => resolve(error === null || error === undefined))
  })
}

/** In a terminal, SIGHUP says that its window has been closed. Elsewhere it is how supervisors ask for a reload. */
function isInTerminal(): boolean {
  return process.stdin.isTTY === true
}

/** The first signal that means the end. A second one ends the process at once, as its sender evidently wants. */
function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise(resolve => {
    const names = ['SIGINT', 'SIGTERM', ...(isInTerminal() ? (['SIGHUP'] as const) : [])] as const
    for (const name of names) process.once(name, () => resolve(name))
  })
}
