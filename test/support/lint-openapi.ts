/** Nightly: fetches the OpenAPI document of a server, and fails if a recommended rule of one of two linters finds something. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeIndex } from './fixture-index.ts'
import { startServer } from './processes.ts'

const PACKAGE = fileURLToPath(new URL('../../../test/service/openapi/linters', import.meta.url))

if (!existsSync(join(PACKAGE, 'node_modules')))
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: PACKAGE,
    stdio: 'inherit',
  })
const folder = mkdtempSync(join(tmpdir(), 'postrie-lint-'))
const file = join(folder, 'openapi.json')
const server = await startServer(join(folder, 'data'), { INDEX_FILE: writeIndex(folder) })
try {
  writeFileSync(file, await (await fetch(`${server.api}/openapi.json`)).text())
  const redocly = run('redocly', ['lint', file, '--extends', 'recommended', '--format', 'json'])
  const { errors, warnings } = JSON.parse(redocly.slice(redocly.indexOf('{'))).totals
  const spectral = run('spectral', ['lint', file, '--ruleset', 'spectral.yaml', '--fail-severity', 'hint'])
  console.log(`redocly: ${errors} errors, ${warnings} warnings\nspectral: ${spectral}`)
  if (errors + warnings > 0) throw new Error(redocly)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true })
}

/** @throws Error with the findings, if the linter's exit code is not 0 */
function run(linter: string, args: readonly string[]): string {
  const bin = join(PACKAGE, 'node_modules', '.bin', linter)
  const { status, stdout, stderr } = spawnSync(bin, args, { cwd: PACKAGE, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${linter} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}
