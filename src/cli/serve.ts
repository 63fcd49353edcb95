/** `postrie serve`: builds the index when there is none, then runs the service until a signal ends it. */

import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { whyNotPinned } from '../http/binary.ts'
import { makePrivateFolder } from '../platform/private-folder.ts'
import { thisMachine, whyUnsupported } from '../platform/supported.ts'
import { readConfig } from '../settings/config.ts'
import { runBuilder } from './builder.ts'
import { EXIT } from './exit.ts'

const HELP = `
On the first start the index is built, and the account 'demo' is made with 1,000 free queries; its key is shown once.
SIGINT and SIGTERM end the service in order: replies in progress are finished and every charge is synced. SIGHUP and
'postrie reload' swap in the index file as it is now.

With --check nothing is served: settings, ports, the index and the ledger are checked, each problem is a line on stderr, and
the exit code is 0 only when there is none. Works while the server runs.

Example:
  $ postrie serve --check
  $ PORT=9000 DATA_DIR=/var/lib/postrie postrie serve`

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('serve the API and the dashboard')
    .option('--check', 'check settings and files, serve nothing')
    .addHelpText('after', HELP)
    .action(async ({ check = false }: { check?: boolean }) => {
      process.exitCode = await serve(process.env, check)
    })
}

async function serve(env: NodeJS.ProcessEnv, check: boolean): Promise<number> {
  // Before the index is built: nobody should wait a minute to learn that the server cannot start.
  const unsupported = whyUnsupported(thisMachine())
  if (unsupported !== null) {
    console.error(`postrie: ${unsupported}`)
    return EXIT.failed
  }
  const changed = whyNotPinned()
  if (changed !== null) return report([changed])
  const config = readConfig(env)
  await makePrivateFolder(config.dataDir)
  if (check) {
    const { allProblems } = await import('./preflight.ts')
    const code = report(await allProblems(config))
    if (code === EXIT.ok) console.log('Settings, ports, index and ledger are as a start needs them.')
    return code
  }
  if (!existsSync(config.indexFile)) {
    const { portProblems, buildProblems } = await import('./preflight.ts')
    const problems = [...(await portProblems(config)), ...(await buildProblems(config.indexFile))]
    if (problems.length > 0) return report(problems)
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

/** Prints each problem. The exit code. */
function report(problems: readonly string[]): number {
  for (const problem of problems) console.error(`postrie: ${problem}`)
  return problems.length === 0 ? EXIT.ok : EXIT.failed
}
