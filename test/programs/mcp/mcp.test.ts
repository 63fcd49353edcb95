import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import t, { type Test } from 'tap'
import { ENDPOINT_LIST } from '../../../src/service/endpoints/table.ts'
import { startApp } from '../../support/app.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { CLI, command, postrie } from '../../support/processes.ts'
import { until } from '../../support/until.ts'

const PATH = process.env.PATH ?? ''
const MESSAGE = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }

// Processes start slowly on a busy machine.
t.setTimeout(120_000)

const HELP = execFileSync(process.execPath, [CLI, 'mcp', '--help'], { encoding: 'utf8' })

async function everyTool(t: Test, client: Client) {
  const call = async (name: string, args: Record<string, unknown>) => {
    const { structuredContent, isError, content } = await client.callTool({ name, arguments: args })
    return { ...(structuredContent as object), isError, content }
  }
  const { tools } = await client.listTools()
  const examples = ENDPOINT_LIST.flatMap(({ tool, example }) =>
    tool === undefined ? [] : [{ ...tool, ...example }],
  )
  const names = tools.map(({ name }) => name)
  t.same(
    names,
    examples.map(({ name }) => name),
  )
  t.ok(
    tools.every(({ name }) => HELP.includes(name)),
    'the help names every tool',
  )
  // The index of the tests has no codes of `VA`.
  for (const { name, body } of examples.filter(({ name }) => name !== 'postal_code_coverage'))
    t.not((await call(name, { ...body })).isError, true, name)
  for (const { description, inputSchema, outputSchema, annotations } of tools) {
    t.ok((description ?? '').length > 40)
    t.same([inputSchema.type, outputSchema?.type, annotations?.readOnlyHint], ['object', 'object', true])
  }
  t.match(await call('lookup_postal_code', { zipcode: '90210' }), {
    found: true,
    meta: { city: 'Beverly Hills', latitude: 34.0901, timezone: 'America/Los_Angeles' },
    content: [{ type: 'text', text: /"city":"Beverly Hills"/ }],
  })
  const records = [
    { postalCode: 'SW1A 1AA', countryCode: 'gb' },
    { postalCode: 'é', countryCode: 'US' },
    { postalCode: '1', countryCode: 'ZZ' },
  ]
  t.match(await call('validate_postal_codes', { records }), {
    results: [
      { postalCode: 'SW1A 1AA', countryCode: 'GB', valid: true, normalized: 'SW1A', reason: null },
      { valid: false, normalized: null, reason: 'invalid_format' },
      { valid: false, reason: 'unknown_country' },
    ],
  })
  const springfield = { city: 'Sprngfield', state: 'Illinois', limit: 1 }
  t.match(await call('find_city_postal_codes', springfield), {
    found: true,
    total: 2,
    zipcodes: ['62701'],
    matchedCity: 'Springfield',
  })
  t.match(await call('find_city_postal_codes', { city: 'Atlantis', country: 'FR' }), { found: false })
  const beverlyHills = { postalCode: '90210', country: 'US', placeName: 'Beverly Hills', distance: 0.322 }
  const point = { latitude: 34.09, longitude: -118.41 }
  t.match(await call('find_nearest_postal_codes', { ...point, radius: 5, limit: 2 }), {
    found: true,
    results: [beverlyHills, { postalCode: '90211' }],
  })
  t.match(await call('postal_code_distance', { from: '90210', to: '90211' }), { kilometres: 3.514 })
  t.match(await call('suggest_postal_codes', { query: 'st. l', limit: 1 }), {
    places: [{ placeName: 'Saint Louis', codes: 1, areas: [{ name: 'Missouri', code: 'MO' }] }],
  })
  t.match(await call('postal_code_coverage', { country: 'us' }), {
    countries: [{ country: 'US', codes: 7, completeness: 'full' }],
  })
  t.match(await call('postal_code_format', { zipcode: '00-001', country: 'PL' }), { normalized: '00-001' })

  t.match(await call('lookup_postal_code', { zipcode: '90210', country: 'United States' }), { found: true })
  t.match(await call('lookup_postal_code', { zipcode: '1', country: 'Narnia' }), {
    content: [{ text: /^country is "Narnia": expected a code of ISO 3166-1, such as US, USA or 840/ }],
  })

  for (const [name, args] of [
    ['lookup_postal_code', { zipcode: '1', country: 'Narnia' }],
    ['validate_postal_codes', { records: [{ postalCode: 7, countryCode: 'US' }] }],
    ['find_nearest_postal_codes', { latitude: 91, longitude: 1 }],
    ['suggest_postal_codes', { query: '' }],
    ['no_such_tool', {}],
  ] as const)
    t.match(await call(name, args), { isError: true }, `${name} ${JSON.stringify(args).slice(0, 60)}`)
}

async function withClient(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  work: (client: Client) => Promise<void>,
) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport as Parameters<Client['connect']>[0])
  try {
    await work(client)
  } finally {
    await client.close()
  }
}

function stdio(args: readonly string[], env: Record<string, string>): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'mcp', ...args],
    env: { PATH, ...env },
  })
}

t.test('an agent asks the index over standard input and output', async t => {
  const INDEX_FILE = writeIndex(t.testdir())
  await withClient(stdio([], { INDEX_FILE }), client => everyTool(t, client))
})

t.test('an agent asks a service over standard input and output', async t => {
  const { baseUrl, key } = await startApp(t)
  const transport = stdio(['--remote', baseUrl], { POSTRIE_API_KEY: key })
  await withClient(transport, client => everyTool(t, client))
  await withClient(stdio(['--remote', baseUrl], { POSTRIE_API_KEY: 'pk_live_wrong' }), async client => {
    const refused = await client.callTool({ name: 'lookup_postal_code', arguments: { zipcode: '90210' } })
    t.match(refused, { isError: true, content: [{ text: /401 Invalid API key/ }] })
  })
})

/** Starts `postrie mcp --http`. Returns its address, and a function that ends it and resolves with the exit code. */
async function startHttp(t: Test, env: Record<string, string>) {
  const child = spawn(process.execPath, [CLI, 'mcp', '--http', '0'], { env: { PATH, ...env } })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  child.stdout.on('data', chunk => (output += chunk))
  await until(() => output.includes('\n') || child.exitCode !== null)
  const stop = async () => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    return (await exited)[0] as number | null
  }
  return { url: /(http\S+)/.exec(output)?.[1] ?? '', stop }
}

const { url, stop } = await startHttp(t, { INDEX_FILE: writeIndex(t.testdir()) })

t.test('an agent asks over HTTP', async t => {
  await withClient(new StreamableHTTPClientTransport(new URL(url)), client => everyTool(t, client))
  const ask = async (init: RequestInit & { path?: string }) => {
    const response = await fetch(new URL(init.path ?? '/mcp', url), {
      method: 'POST',
      body: '{}',
      ...init,
      headers: { ...MESSAGE, ...init.headers },
    })
    return [response.status, response.headers.get('Allow')]
  }
  t.same(await ask({ path: '/' }), [404, null])
  t.same(await ask({ method: 'GET', body: undefined }), [405, 'POST'])
  t.same(await ask({ body: '{' }), [400, null])
  t.same(await ask({ body: 'x'.repeat(300_000) }), [413, null])
  t.same(await ask({ headers: { Origin: 'https://evil.example' } }), [403, null], 'a page of another site')
  t.same(await ask({ headers: { Origin: 'http://localhost.evil.example' } }), [403, null])
})

t.test('single messages, batches and the stateless protocol are answered', async t => {
  const post = async (message: unknown, headers = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(message),
      headers: { ...MESSAGE, ...headers },
    })
    const text = await response.text()
    const isStream = response.headers.get('content-type') === 'text/event-stream'
    const messages = isStream ? Array.from(text.matchAll(/^data: (.*)/gm), ([, data]) => data) : [text]
    return [response.status, ...messages.filter(each => each !== '').map(each => JSON.parse(each))]
  }
  const ask = (id: number, _meta = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'lookup_postal_code', arguments: { zipcode: '90210' }, _meta },
  })
  const found = { result: { structuredContent: { found: true } } }
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
  t.match(await post(ask(1)), [200, { id: 1, ...found }])
  t.match(await post([ask(1), ask(2)]), [200, { id: 1, ...found }, { id: 2, ...found }])
  t.match(await post([ask(1), ask(1)]), [200, { id: 1 }], 'two requests with one id are answered')
  t.same(await post(cancel), [202], 'a request that has been answered')
  t.match(await post([null, 1, ask(1)]), [400, { error: {} }])
  const version = '2026-07-28'
  const named = { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'lookup_postal_code' }
  const client = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const stateless = await post(ask(1, client), { ...named, 'MCP-Protocol-Version': version })
  t.match(stateless, [200, { id: 1, ...found }])
  t.equal(await stop(), 0, 'it ends cleanly')
})

t.test('an agent asks over HTTP with a token', async t => {
  const { url, stop } = await startHttp(t, {
    INDEX_FILE: writeIndex(t.testdir()),
    POSTRIE_MCP_TOKEN: 'secret',
  })
  const headers = { Authorization: 'Bearer secret' }
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
  await withClient(transport, async client => {
    t.match(await client.callTool({ name: 'lookup_postal_code', arguments: { zipcode: '90210' } }), {
      structuredContent: { found: true },
    })
  })
  for (const Authorization of ['Bearer secre', 'secret', 'Basic secret'])
    t.equal((await fetch(url, { method: 'POST', body: '{}', headers: { Authorization } })).status, 401)
  t.equal(await stop(), 0)
})

t.test('a public address needs a token', async t => {
  const env = { INDEX_FILE: writeIndex(t.testdir()) }
  const refused = await postrie('/nonexistent', ['mcp', '--http', '0', '--host', '0.0.0.0'], env)
  t.match(refused, { code: 2, stderr: /--host is 0\.0\.0\.0, .* set POSTRIE_MCP_TOKEN/ })
  t.equal((await command('/nonexistent', ['mcp', '--http', '70000'], env)).code, 2)
})
