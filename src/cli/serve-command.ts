/** `postrie serve` as the parser of commands knows it. */
import type { Command } from 'commander'
import { serve } from './serve.ts'

const HELP = `
On the first start the index is built, and the account 'demo' is made with 1,000 free queries; its key is shown once.
SIGINT and SIGTERM end the service in order: replies in progress are finished and every charge is synced. SIGHUP and
'postrie reload' swap in the index file as it is now.

With --check nothing is served: settings, ports, the index and the ledger are checked, each problem is a line on stderr, and
the exit code is 0 only when there is none. Nothing is created. Works while the server runs, and then says which ports it holds.

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
