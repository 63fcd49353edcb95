/**
 * Nightly: `npm run check-openapi` shows the OpenAPI document of a server to programs that others wrote. Two linters
 * may find nothing by their recommended rules, the clients of four generators must compile and get 200 for every
 * example, and a validating proxy may find no answer that the document does not describe. The programs have their own
 * package.json in `tools/`.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tryPort } from '../../../src/platform/server-address.ts'
import { ENDPOINT_LIST, pathsOf } from '../../../src/service/endpoints/table.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { postrieJson, startServer } from '../../support/processes.ts'
import { until } from '../../support/until.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const TOOLS = join(ROOT, 'test/service/openapi/tools')
const bin = (name: string) => join(TOOLS, 'node_modules/.bin', name)
/** Values for every field of every endpoint: right, wrong, and hostile. */
const VALUES = [null, '', 'x', '90210', 'Köln', 10115, -1, 1e9, true, [], {}, 'x'.repeat(200)]

const CALLS = ENDPOINT_LIST.flatMap(endpoint =>
  pathsOf(endpoint).map(path => ({
    path,
    body: endpoint.example.body,
    fields: Object.keys(endpoint.fields),
  })),
)

interface Operations {
  get: { operationId: string }
  post?: { operationId: string }
}

interface Generator {
  /** Arguments of the generator, which writes into `folder`. */
  command(document: string, folder: string): string[]
  /** Returns the imports of a client of the service at `api`. */
  imports(api: string): string
  /** Returns the expression of a call: a promise of `{ status }`. @param body literal; '' for GET */
  call(operation: string, path: string, body: string): string
}

const camelCase = (name: string) => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** The line that docs/coming-from.md shows, and three others. */
const GENERATORS: Readonly<Record<string, Generator>> = {
  'openapi-typescript': {
    command(document, folder) {
      const page = readFileSync(join(ROOT, 'docs/coming-from.md'), 'utf8')
      const [, options] = /^npx openapi-typescript (.*)$/m.exec(page) ?? []
      const typed = options.replace(/http\S+/, document).replace('postrie.d.ts', join(folder, 'postrie.d.ts'))
      return typed.split(' ')
    },
    imports: api => `import createClient from 'openapi-fetch'
import type { paths } from './postrie.js'
const client = createClient<paths>({ baseUrl: '${api}' })`,
    call: (_, path, body) =>
      `client.${body === '' ? `GET('${path}')` : `POST('${path}', { body: ${body} })`}.then(each => each.response)`,
  },
  'openapi-ts': {
    command: (document, folder) => [
      '-i',
      document,
      '-o',
      join(folder, 'client'),
      '-c',
      '@hey-api/client-fetch',
    ],
    imports: () => `import * as sdk from './client/index.js'`,
    call: (operation, _, body) =>
      `sdk.${operation}(${body && `{ body: ${body} }`}).then(each => each.response ?? { status: 0 })`,
  },
  'swagger-typescript-api': {
    command: (document, folder) => ['generate', '-p', document, '-o', folder, '-n', 'api.ts'],
    imports: () => `import { Api } from './api.js'
const client = new Api()`,
    call: (operation, path, body) => `client.${path.split('/')[1]}.${operation}(${body})`,
  },
  orval: {
    command: (document, folder) => [
      '--input',
      document,
      '--output',
      join(folder, 'orval.ts'),
      '--client',
      'fetch',
    ],
    imports: api => `import * as client from './orval.js'
const { fetch: send } = globalThis
globalThis.fetch = (path, init) => send('${api}' + path, init)`,
    call: (operation, _, body) => `client.${operation}(${body})`,
  },
}

/** @throws Error with the output, if the exit code is not 0 */
function run(folder: string, command: string, args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
  return stdout
}

function lint(document: string): void {
  const redocly = run(TOOLS, bin('redocly'), [
    'lint',
    document,
    '--extends',
    'recommended',
    '--format',
    'json',
  ])
  const { errors, warnings } = JSON.parse(redocly.slice(redocly.indexOf('{'))).totals
  if (errors + warnings > 0) throw new Error(redocly)
  run(TOOLS, bin('spectral'), ['lint', document, '--ruleset', 'spectral.yaml', '--fail-severity', 'hint'])
  console.log('redocly and spectral: 0 problems')
}

/** Generates a client, compiles it strictly with a call for every example, and runs it. */
function generate(
  name: string,
  generator: Generator,
  document: string,
  server: { api: string; key: string },
): void {
  const folder = join(document, '..', name)
  mkdirSync(folder)
  symlinkSync(join(TOOLS, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  run(TOOLS, bin(name), generator.command(document, folder))
  const { paths } = JSON.parse(readFileSync(document, 'utf8')) as { paths: Record<string, Operations> }
  const calls = Object.entries(paths).flatMap(([path, { get, post }]) => {
    const body = { ...CALLS.find(call => call.path === path)?.body, apiKey: server.key }
    const asked = post && generator.call(camelCase(post.operationId), path, JSON.stringify(body))
    return [generator.call(camelCase(get.operationId), path, ''), ...(asked === undefined ? [] : [asked])]
  })
  writeFileSync(
    join(folder, 'main.ts'),
    `${generator.imports(server.api)}
const answers = await Promise.all([
${calls.map(call => `  ${call},`).join('\n')}
])
console.log(JSON.stringify(answers.map(({ status }) => status)))
`,
  )
  const strict = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipLibCheck', 'false']
  run(folder, process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...strict, 'main.ts'])
  const statuses: number[] = JSON.parse(run(folder, process.execPath, ['main.js']))
  const failed = calls.filter((_, i) => statuses[i] !== 200)
  if (failed.length > 0) throw new Error(`${name}: not answered with 200: ${failed.join(', ')}`)
  console.log(`${name}: ${statuses.length} calls, all 200`)
}

/**
 * Sends right and wrong requests through the proxy. @throws Error when an answer breaks the document, or an example
 * does
 */
async function validate(document: string, { api, key }: { api: string; key: string }): Promise<void> {
  const port = await tryPort('127.0.0.1', 0)
  const proxy = spawn(bin('prism'), ['proxy', document, api, '-p', String(port), '-v', 'silent'])
  const origin = `http://127.0.0.1:${port}`
  const violations: string[] = []
  const statuses = new Map<number, number>()
  const send = async (path: string, init: RequestInit, isExample = false) => {
    const answer = await fetch(origin + path, init)
    await answer.arrayBuffer()
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    const found: { location: string[]; message: string }[] = JSON.parse(
      answer.headers.get('sl-violations') ?? '[]',
    )
    for (const { location, message } of found)
      if (isExample || location[0] !== 'request')
        violations.push(`${path} ${init.body} ${answer.status}: ${location.join('.')} ${message}`)
  }
  const post = (body: unknown, headers: Record<string, string> = {}) => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  try {
    await until(() =>
      fetch(`${origin}/healthz`)
        .then(({ ok }) => ok)
        .catch(() => false),
    )
    for (const path of ['/healthz', '/readyz']) await send(path, {}, true)
    for (const { path, body, fields } of CALLS) {
      const asked = { ...body, apiKey: key }
      await send(path, {}, true)
      await send(path, post(asked), true)
      await send(path, post(body, { Authorization: `Bearer ${key}` }), true)
      await send(path, post(body, { 'X-API-Key': key }), true)
      await send(path, post(body))
      await send(path, post({ ...body, apiKey: `${key.slice(0, -1)}_` }))
      for (const field of [...fields, 'apiKey']) {
        await send(path, post({ ...asked, [field]: undefined }))
        for (const value of VALUES) await send(path, post({ ...asked, [field]: value }))
      }
    }
  } finally {
    proxy.kill()
  }
  const counts = [...statuses].sort().map(([status, count]) => `${count} with ${status}`)
  if (violations.length > 0) throw new Error(`${violations.length} violations:\n${violations.join('\n')}`)
  console.log(
    `prism: ${[...statuses.values()].reduce((sum, each) => sum + each)} requests (${counts.join(', ')}), no violation`,
  )
}

if (!existsSync(join(TOOLS, 'node_modules')))
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: TOOLS, stdio: 'inherit' })
const folder = mkdtempSync(join(tmpdir(), 'postrie-openapi-'))
const data = join(folder, 'data')
const server = await startServer(data, { INDEX_FILE: DEFAULT_INDEX })
try {
  await postrieJson(data, ['account', 'credit', 'demo', '100', '--reference', 'check-openapi'])
  const document = join(folder, 'openapi.json')
  writeFileSync(document, await (await fetch(`${server.dashboard}/openapi.json`)).text())
  lint(document)
  for (const [name, generator] of Object.entries(GENERATORS)) generate(name, generator, document, server)
  await validate(document, server)
} finally {
  await server.stop()
  rmSync(folder, { recursive: true })
}
