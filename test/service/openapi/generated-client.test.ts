/** The generator has its own package.json in `generated/`. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ENDPOINT_LIST, pathsOf } from '../../../src/service/endpoints/table.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { startServer } from '../../support/processes.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const PACKAGE = join(ROOT, 'test/service/openapi/generated')
// The first run installs the generator.
t.setTimeout(300_000)

function run(folder: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

t.test('a generated client compiles, and every call is answered', async t => {
  if (!existsSync(join(PACKAGE, 'node_modules'))) run(PACKAGE, 'npm', 'ci', '--no-audit', '--no-fund')
  const folder = temporaryFolder(t)
  const server = await startServer(join(folder, 'data'), { INDEX_FILE: DEFAULT_INDEX })
  t.teardown(() => server.stop())
  cpSync(join(PACKAGE, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(PACKAGE, 'node_modules'), join(folder, 'node_modules'))
  const bin = (name: string) => join(PACKAGE, 'node_modules', '.bin', name)
  // docs/coming-from.md shows this command.
  const page = readFileSync(join(ROOT, 'docs/coming-from.md'), 'utf8')
  const [, generator, options] = /^npx (openapi-typescript) (.*)$/m.exec(page) ?? []
  const typed = options.replace('http://127.0.0.1:8080', server.api).split(' ')
  run(folder, bin(generator), ...typed)
  const calls = ENDPOINT_LIST.flatMap(endpoint =>
    pathsOf(endpoint).map(path => {
      const body = JSON.stringify({ ...endpoint.example.body, apiKey: server.key })
      return `  ['${path}', client.POST('${path}', { body: ${body} })],`
    }),
  )
  writeFileSync(
    join(folder, 'main.ts'),
    `import createClient from 'openapi-fetch'
import type { paths } from './postrie.js'
const client = createClient<paths>({ baseUrl: '${server.api}' })
const { data } = await client.POST('/api/lookup', { body: { zipcode: '90210' }, headers: { 'X-API-Key': '${server.key}' } })
const city: string | undefined = data?.city
const calls = [
${calls.join('\n')}
] as const
const answers = await Promise.all(calls.map(async ([path, call]) => [path, (await call).response.status]))
console.log(JSON.stringify({ city, answers }))
`,
  )
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const strict = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', 'false']
  run(folder, process.execPath, tsc, ...strict, 'main.ts')
  const { city, answers } = JSON.parse(run(folder, process.execPath, 'main.js'))
  t.equal(city, 'Beverly Hills')
  t.equal(answers.length, calls.length)
  t.same(
    answers.filter(([, status]: [string, number]) => status !== 200),
    [],
  )
})
