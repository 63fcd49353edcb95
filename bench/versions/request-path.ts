/**
 * What a request costs in this checkout and in another one: wrk loads both in turn. Prints the medians of the ratios, round by round,
 * of requests/s and of processor time per request, for the server's thread, for the ledger's, and for all. Needs wrk and Linux.
 * Processor time of the server's thread varies least on a busy machine. The bare handler of `http/servers/bare.ts` runs as well.
 *
 *   HTTP_THREADS=1 FLUSH_MS=50 node dist/bench/versions/request-path.js <another checkout, compiled> <index of this> <index of that>
 *     [endpoints, separated by commas] [rounds] [seconds per turn]
 */
import { openIndex } from '../../src/index/open-index.ts'
import { writeBodies } from '../http/bodies.ts'
import { Server } from '../http/server.ts'
import type { EndpointName } from '../http/setup.ts'
import { runWrk } from '../http/wrk.ts'
import { ROOT_FOLDER } from '../paths.ts'
import { threadNanos } from '../processor-time.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf, type Spread } from '../statistics.ts'
import { Checkout, type RunningService } from './checkout.ts'
import { keepAnswered } from './keep-answered.ts'

const CONNECTIONS = 64
const NANOS_PER_MICRO = 1000
const ALL = 'all threads, µs'
const SERVER = 'server thread, µs'
const REST = 'other threads, µs'
const RATE = 'requests/s'
const P99 = 'p99, µs'
const UNITS = [RATE, SERVER, REST, ALL, P99]

const [against, indexHere, indexThere, named = 'lookup', rounds = '8', seconds = '4'] = process.argv.slice(2)
if (against === undefined || indexHere === undefined)
  throw new Error('expected a compiled checkout, the index of this one, and the index of that one')

const bodies = writeBodies(openIndex(indexHere))
const endpoints = named.split(',') as EndpointName[]
const services: RunningService[] = [
  await new Checkout(ROOT_FOLDER).serve(indexHere),
  await new Checkout(against).serve(indexThere ?? indexHere),
]
const [here, there] = services
try {
  for (const endpoint of endpoints) await compare(endpoint)
} finally {
  await Promise.all(services.map(service => service.end()))
}

async function compare(endpoint: EndpointName): Promise<void> {
  const { file } = bodies[endpoint]
  await keepAnswered(file, endpoint, services)
  const answerBytes = { [endpoint]: await meanAnswer(here, endpoint) }
  const bytesThere = await meanAnswer(there, endpoint)
  const bare = await Server.start('bare', { indexFile: indexHere, answerBytes })
  try {
    const load = (url: string, pid: number, apiKey: string) => () => sample(url, pid, apiKey, file)
    const taken = await inTurn(
      {
        this: load(here.url(endpoint), here.pid, here.apiKey),
        that: load(there.url(endpoint), there.pid, there.apiKey),
        bare: load(bare.url(endpoint), bare.child.pid, bare.apiKey),
      },
      Number(rounds),
    )
    console.log(
      `${endpoint}, ${CONNECTIONS} connections; mean bytes of an answer: this ${answerBytes[endpoint]}, that ${bytesThere}`,
    )
    for (const [name, spreads] of Object.entries(taken))
      console.log(`  ${name}: ${UNITS.map(unit => `${unit} ${spreads[unit].median.toFixed(2)}`).join(' | ')}`)
    const ratios = (other: Record<string, Spread>) =>
      UNITS.map(unit => `${unit} ${ratioOf(taken.this[unit], other[unit]).toFixed(3)}`).join(' | ')
    console.log(`  this / that: ${ratios(taken.that)}`)
    console.log(`  this / bare: ${ratios(taken.bare)}`)
  } finally {
    await bare.end()
  }
}

async function sample(
  url: string,
  pid: number,
  apiKey: string,
  bodiesFile: string,
): Promise<Record<string, number>> {
  const before = threadNanos(pid)
  const result = await runWrk({
    url,
    connections: CONNECTIONS,
    seconds: Number(seconds),
    bodiesFile,
    apiKey,
  })
  const used = Array.from(threadNanos(pid), ([thread, nanos]) => nanos - (before.get(thread) ?? 0))
  const perRequest = (nanos: number) => nanos / NANOS_PER_MICRO / result.requests
  const all = perRequest(used.reduce((sum, nanos) => sum + nanos, 0))
  const server = perRequest(Math.max(...used))
  return {
    [RATE]: (result.requests / result.micros) * 1e6,
    [SERVER]: server,
    [REST]: all - server,
    [ALL]: all,
    [P99]: result.p99,
  }
}

async function meanAnswer(service: RunningService, endpoint: EndpointName): Promise<number> {
  const lengths = await Promise.all(
    bodies[endpoint].some.map(async body => {
      const answer = await fetch(service.url(endpoint), {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: body.replace('@KEY@', service.apiKey),
      })
      return (await answer.arrayBuffer()).byteLength
    }),
  )
  return Math.round(lengths.reduce((sum, length) => sum + length, 0) / lengths.length)
}
