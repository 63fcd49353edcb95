/** Measures lookups of four customers before, beside and after the heaviest loads of strangers and of another customer. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { newSecret } from '../../src/billing/accounts/secret.ts'
import { LIST_MAX, NEAREST_MAX, SUGGESTIONS_MAX } from '../../src/postal/limits.ts'
import type { Attack } from '../attacker-child.ts'
import { type Benchmark, measuresOf, type Options, type Result } from '../benchmark.ts'
import { Child } from '../child.ts'
import { type Bodies, writeBodies } from '../input/bodies.ts'
import { openWorld, worldFile } from '../input/worlds.ts'
import { inTurn, percentile } from '../measure.ts'
import { type Loadable, startService } from '../service.ts'

/** Measured clients. Each waits for its answer, and then for PAUSE_MS. */
const CLIENTS = 4
const PAUSE_MS = 1
/** One-byte chunks of one request. */
const CHUNKS = 500_000
const FAR = { latitude: -48, longitude: -120 }
/** Goals beside every load. */
const MEDIAN_MS_MAX = 2
const P99_MS_MAX = 10

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
const post = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
const CHUNKED = 'POST /api/validate-bulk HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
/** 5 Mbit/s. */
const SLOW = 5e6 / 8
const FAST = 16e6

/** Heavy loads. `apiKey` is the key of another customer. */
function scenarios(apiKey: string, bodies: ReturnType<typeof writeBodies>): Record<string, Attack> {
  const all = ({ path, file }: Bodies) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .map(body => post(path, body.replace('@KEY@', apiKey)))
  const wrongKeys = Array.from({ length: 100 }, newSecret).map(key =>
    post('/api/lookup', JSON.stringify({ apiKey: key, zipcode: '90210' })),
  )
  const pipelined = (request: string, connections: number, bytesPerSecond: number): Attack => ({
    requests: [request],
    connections,
    bytesPerSecond,
  })
  const lookup = post('/api/lookup', JSON.stringify({ apiKey, zipcode: '90210' }))
  const long = (path: string, ...asked: object[]): Attack => ({
    requests: asked.map(fields => post(path, JSON.stringify({ apiKey, limit: LIST_MAX, ...fields }))),
    connections: 16,
  })
  const pages = (country: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ list: 'zipcodes', country, offset: i * LIST_MAX }))
  const address = { postalCode: '2745-001', countryCode: 'PT', city: 'Lisboa' }
  const suggested = { query: 'sa', country: 'MX', state: 'CA', limit: SUGGESTIONS_MAX }
  return {
    'list, cities of Lisboa': long('/api/list', { list: 'cities', country: 'PT', state: 'Lisboa' }),
    'list, codes of PT by offset': long('/api/list', ...pages('PT', 19)),
    'list, codes of US by offset': long('/api/list', ...pages('US', 4)),
    'list, states of JP': long('/api/list', { list: 'states', country: 'JP' }),
    'verify-bulk of 15 KB': long('/api/verify-bulk', { records: new Array(220).fill(address) }),
    'city, the codes of Lisboa': long('/api/city', { city: 'Lisboa', country: 'PT' }),
    'autocomplete with a state': long('/api/autocomplete', suggested),
    'nearest of a far country': long('/api/nearest', { ...FAR, country: 'PT', limit: NEAREST_MAX }),
    'batches, 8 connections': { requests: all(bodies['validate-bulk']), connections: 8 },
    'searches, 8 connections': { requests: all(bodies.city), connections: 8 },
    'nearest, 8 connections': { requests: all(bodies.nearest), connections: 8 },
    'wrong keys, 8 connections': { requests: wrongKeys, connections: 8 },
    'one-byte chunks, 8 connections': {
      requests: [`${CHUNKED}${'1\r\na\r\n'.repeat(CHUNKS)}0\r\n\r\n`],
      connections: 8,
    },
    'pipelined GET /api/x, 1 connection, 5 Mbit/s': pipelined(get('/api/x'), 1, SLOW),
    'pipelined GET /api/x, 16 connections, 16 MB/s': pipelined(get('/api/x'), 16, FAST),
    'pipelined GET /nope, 16 connections, 16 MB/s': pipelined(get('/nope'), 16, FAST),
    'pipelined GET /openapi.json, 16 connections, 16 MB/s': pipelined(get('/openapi.json'), 16, FAST),
    'pipelined PUT /api/lookup, 16 connections, 16 MB/s': pipelined(
      'PUT /api/lookup HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n',
      16,
      FAST,
    ),
    'pipelined lookups of one customer, 1 connection, 5 Mbit/s': pipelined(lookup, 1, SLOW),
    'pipelined lookups of one customer, 16 connections, 16 MB/s': pipelined(lookup, 16, FAST),
  }
}

export const beside: Benchmark = {
  name: 'beside',
  text: 'lookups before, beside and after batches, lists, searches, wrong keys, chunks and pipelined requests of others',
  needsPackages: false,
  run: runBeside,
}

async function runBeside({ quick, log }: Options): Promise<Result> {
  const bodies = writeBodies(openWorld())
  const server = await startService({ indexFile: worldFile('world'), accounts: 2 })
  const attacker = new Child('attacker-child.ts', [String(server.port)])
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => openClient(server)))
  const ms = quick ? 1000 : 4000
  const beside = (name: string, attack: Attack) => async () => {
    log(name)
    const before = await lookups(clients, ms / 2)
    await attacker.call('start', attack)
    const during = await lookups(clients, ms)
    await attacker.call('stop')
    const after = await lookups(clients, ms / 2)
    return { ...named('before', before), ...named('beside', during), ...named('after', after) }
  }
  const attacks = Object.entries(scenarios(server.apiKeys[1], bodies))
  const contenders = Object.fromEntries(attacks.map(([name, attack]) => [name, beside(name, attack)]))
  const taken = await inTurn(contenders, quick ? 1 : 5).finally(async () => {
    for (const { socket } of clients) socket.destroy()
    await attacker.end()
    await server.end()
  })
  const finding = (name: string, unit: 'p50' | 'p99', atMost: number) => ({
    text: `${unit} beside ${name}, ms`,
    value: taken[name][`${unit} beside, ms`].median,
    wanted: { atMost },
  })
  return {
    measures: measuresOf('lookups', taken),
    findings: Object.keys(taken).flatMap(name => [
      finding(name, 'p50', MEDIAN_MS_MAX),
      finding(name, 'p99', P99_MS_MAX),
    ]),
    notes: ['The clients, the other load, the server and its worker share the cores.'],
  }
}

interface Client {
  socket: Socket
  request: string
}

async function openClient({ port, apiKey }: Loadable): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return { socket, request: post('/api/lookup', JSON.stringify({ apiKey, zipcode: '90210' })) }
}

/** Returns the times of the clients' lookups. A lookup that began in time is waited for. */
async function lookups(clients: readonly Client[], ms: number): Promise<number[]> {
  const times: number[] = []
  const until = performance.now() + ms
  const lookUp = async ({ socket, request }: Client) => {
    while (performance.now() < until) {
      const started = performance.now()
      socket.write(request)
      const answer = await nextOf(socket)
      if (!String(answer).startsWith('HTTP/1.1 200')) throw new Error(`a lookup got ${answer}`)
      times.push(performance.now() - started)
      await sleep(PAUSE_MS)
    }
  }
  await Promise.all(clients.map(lookUp))
  return times
}

/** Resolves with the next bytes, or with none if the server has closed the connection. */
function nextOf(socket: Socket): Promise<unknown> {
  return new Promise(resolve => {
    const done = (bytes: unknown) => {
      socket.off('data', done).off('close', done)
      resolve(bytes)
    }
    socket.on('data', done).on('close', done)
  })
}

function named<When extends string>(when: When, times: readonly number[]) {
  return {
    [`p50 ${when}, ms`]: percentile(times, 0.5),
    [`p99 ${when}, ms`]: percentile(times, 0.99),
  } as Record<`${'p50' | 'p99'} ${When}, ms`, number>
}
