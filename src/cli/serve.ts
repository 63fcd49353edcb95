/** Builds the index when there is none, then runs the service until a signal ends it. */

import { existsSync } from 'node:fs'
import { whyNotPinned } from '../http/binary.ts'
import { makePrivateFolder } from '../platform/private-folder.ts'
import { thisMachine, whyUnsupported } from '../platform/supported.ts'
import { type Config, readConfig } from '../settings/config.ts'
import { runBuilder } from './builder.ts'
import { dataFolderProblem, unmadeText } from './data-folder.ts'
import { EXIT } from './exit.ts'

/** @param check only whether a start would succeed. @returns the exit code. @throws EnvError, and what `startServer` throws */
export async function serve(env: NodeJS.ProcessEnv, check: boolean): Promise<number> {
  // Before the index is built: nobody should wait a minute to learn that the server cannot start.
  const unsupported = whyUnsupported(thisMachine())
  if (unsupported !== null) {
    console.error(`postrie: ${unsupported}`)
    return EXIT.failed
  }
  const config = readConfig(env)
  const isBuilt = existsSync(config.indexFile)
  // A start with an index checks the binary while its threads load their code.
  const changed = check || !isBuilt ? whyNotPinned() : null
  if (changed !== null) return report([changed])
  if (check) {
    const { preflight } = await import('./preflight.ts')
    const { problems, notes } = await preflight(config)
    const code = report(problems)
    if (code === EXIT.ok) console.log('Settings, ports, index and ledger are as a start needs them.')
    for (const note of notes) console.log(`Note: ${note}.`)
    return code
  }
  const unusable = await dataFolderProblem(config.dataDir)
  if (unusable !== null) return report([unusable])
  try {
    await makePrivateFolder(config.dataDir)
  } catch (error) {
    return report([unmadeText(config.dataDir, error)])
  }
  if (!isBuilt) {
    const { firstIndexProblems, portProblems } = await import('./preflight.ts')
    const problems = [...(await portProblems(config)), ...(await firstIndexProblems(config))]
    if (problems.length > 0) return report(problems)
    const code = await makeIndex(config)
    if (code !== EXIT.ok) return code
  }
  // Imported late: the other commands start faster without the server's libraries.
  const { begin } = await import('./begin.ts')
  const begun = await begin(config)
  if (typeof begun === 'string') return report([begun])
  const [{ runServer }, { dataPlaneOn }] = await Promise.all([
    import('./run-server.ts'),
    import('../http/data-plane.ts'),
  ])
  try {
    return await runServer(config, dataPlaneOn(begun))
  } catch (error) {
    const { startProblems } = await import('./start-failure.ts')
    const problems = await startProblems(config, error)
    if (problems.length === 0) throw error
    return report(problems)
  }
}

/** Fetches the index that is published, or builds one. The exit code. */
async function makeIndex({ indexFile, indexUrl, indexPublicKey }: Config): Promise<number> {
  if (indexUrl !== null) {
    const { fetchFirstIndex } = await import('./first-index.ts')
    await fetchFirstIndex({ url: indexUrl, publicKey: indexPublicKey }, indexFile)
    return EXIT.ok
  }
  console.error(`There is no index at ${indexFile} yet. Building it takes about a minute.`)
  return runBuilder(['build', '--first-start'], 'stderr')
}

/** Prints each problem. The exit code. */
function report(problems: readonly string[]): number {
  for (const problem of problems) console.error(`postrie: ${problem}`)
  return problems.length === 0 ? EXIT.ok : EXIT.failed
}
