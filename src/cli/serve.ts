/** `postrie serve`: builds the index when there is none, then runs the service until a signal ends it. */

import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { makePrivateFolder } from '../platform/private-folder.ts'
import { thisMachine, whyUnsupported } from '../platform/supported.ts'
import { readConfig } from '../settings/config.ts'
import { runBuilder } from './builder.ts'
import { EXIT } from './exit.ts'

const HELP = `
On the first start the index is built, and the account 'demo' is made with 1,000 free queries; its key is shown once.
SIGINT and SIGTERM end the service in order: replies in progress are finished and every charge is synced.

Example:
  $ PORT=9000 DATA_DIR=/var/lib/postrie postrie serve`

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve the API and the dashboard')
    .addHelpText('after', HELP)
    .action(async () => {
      process.exitCode = await serve(process.env)
    })
}

async function serve(env: NodeJS.ProcessEnv): Promise<number> {
  // Before the index is built: nobody should wait a minute to learn that the server cannot start.
  const unsupported = whyUnsupported(thisMachine())
  if (unsupported !== null) {
    console.error(`postrie: ${unsupported}`)
    return EXIT.failed
  }
  const config = readConfig(env)
  await makePrivateFolder(config.dataDir)
  if (!existsSync(config.indexFile)) {
    console.error(`There is no index at ${config.indexFile} yet. Building it takes about a minute.`)
    const code = await runBuilder(['build', '--first-start'], 'stderr')
    if (code !== EXIT.ok) return code
  }
  // Imported late: the other commands start faster without the server's libraries.
  const { launchThreads } = await import('../http/threads/launch.ts')
  const threads = launchThreads(config.httpThreads)
  const [{ runServer }, { dataPlaneOn }] = await Promise.all([
    import('./run-server.ts'),
    import('../http/data-plane.ts'),
  ])
  return runServer(config, dataPlaneOn(threads))
}
