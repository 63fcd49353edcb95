/** `postrie serve`: builds or fetches the first index, then serves until a signal. */

import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { reservedBytes } from '../../billing/ledger/reserved-space.ts'
import { shownAddress } from '../../platform/download.ts'
import { EXIT } from '../../platform/exit.ts'
import { megabytes } from '../../platform/free-space.ts'
import { makePrivateFolder } from '../../platform/private-files.ts'
import { type Config, readConfig } from '../../platform/settings/config.ts'
import { showProgress } from '../../platform/terminal.ts'
import { fetchIndex, fetchManifest } from '../../postal/publication/fetch-index.ts'
import { removeLeftovers } from '../../postal/publication/leftovers.ts'
import { runBuilder } from './builder.ts'
import { expectUsableFolder, folderError } from './data-folder.ts'

const HELP = `
The first start builds the index and creates the account 'demo' with the free queries of a new account; its key is shown once.
SIGINT and SIGTERM end the service in order: open requests are answered and every charge is synced. SIGHUP and
'postrie reload' make it serve the current index file.

--check serves and creates nothing. It checks settings, ports, the index and the ledger, and prints each problem on stderr.
The exit code is 0 if there is none. It works while the server runs, and then prints the server's ports.

Example:
  $ postrie serve --check
  $ PORT=9000 DATA_DIR=/var/lib/postrie postrie serve`

export function addCommands(program: Command): void {
  program
    .command('serve')
    .description('serve the API and the dashboard')
    .option('--check', 'check settings and files, serve nothing')
    .addHelpText('after', HELP)
    .action(async ({ check = false }: { check?: boolean }) => {
      process.exitCode = await serve(check)
    })
}

/** Serves until a signal, or with `check` only checks that a start would succeed. Returns the exit code. */
export async function serve(check: boolean): Promise<number> {
  // Before the index is built, which takes a minute.
  const { loadedBinary, whyUnsupported } = await import('../../service/http/binary.ts')
  const unsupported = whyUnsupported()
  if (unsupported !== null) throw new Error(unsupported)
  const config = readConfig(process.env)
  const isBuilt = existsSync(config.indexFile)
  if (check) {
    const { preflight, throwAll } = await import('./preflight.ts')
    const { problems, notes } = await preflight(config)
    if (problems.length === 0) console.log('Settings, ports, index and ledger are ready for a start.')
    const { package: name, version, file, sha256 } = await loadedBinary()
    console.log(`HTTP server: ${name} ${version}, ${file}, SHA-256 ${sha256}.`)
    for (const note of notes) console.log(`Note: ${note}.`)
    throwAll(problems)
    return EXIT.ok
  }
  await removeLeftovers(config.indexFile)
  await expectUsableFolder(config)
  await makePrivateFolder(config.dataDir).catch(error => {
    throw folderError(config.dataDir, error)
  })
  if (!isBuilt) {
    const { expectAll, expectFirstIndex, expectPorts } = await import('./preflight.ts')
    await expectAll(
      () => expectPorts(config),
      () => expectFirstIndex(config),
    )
    const code = await makeIndex(config)
    if (code !== EXIT.ok) return code
  }
  // Server threads load their code, and the index is read into memory, while the rest is loaded.
  const [{ launchThreads }, { openServedIndex }] = await Promise.all([
    import('../../service/http/threads/launch.ts'),
    import('../../postal/index/index-memory.ts'),
  ])
  const threads = launchThreads(config.httpThreads)
  const index = openServedIndex(config.indexFile)
  // It may fail before it is awaited.
  index.catch(() => {})
  const [{ runServer }, { startDataPlane }] = await Promise.all([
    import('./run-server.ts'),
    import('../../service/http/start-data-plane.ts'),
  ])
  try {
    return await runServer(config, parts => startDataPlane(threads, index, parts))
  } catch (error) {
    const { explainStart } = await import('./preflight.ts')
    return await explainStart(config, error)
  }
}

async function makeIndex(config: Config): Promise<number> {
  const { indexFile, indexUrl, indexPublicKey, dataDir } = config
  if (indexUrl === null) {
    console.error(`There is no index at ${indexFile} yet. Building it takes one to four minutes.`)
    return runBuilder(['build', '--first-start'], 'stderr')
  }
  const source = { url: indexUrl, publicKey: indexPublicKey }
  const manifest = await fetchManifest(source)
  console.error(
    `There is no index at ${indexFile} yet. Fetching the one that ${shownAddress(indexUrl)} names, ${megabytes(manifest.bytes)}.`,
  )
  try {
    await fetchIndex(source, manifest, indexFile, {
      leaveBytes: () => reservedBytes(dataDir, indexFile),
      onBytes: bytes => showProgress(`${megabytes(bytes)} of ${megabytes(manifest.bytes)}`),
    })
  } finally {
    showProgress('')
  }
  return EXIT.ok
}
