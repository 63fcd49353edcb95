/** Measures whether one customer's heaviest loads slow another's lookups. */
import { connect } from 'node:net'
import { newSecret } from '../../src/accounts/secret.ts'
import { type Benchmark, measuresOf, type Options, type Result } from '../benchmark.ts'
import { type Bodies, writeBodies } from '../input/bodies.ts'
import { openWorld, worldFile } from '../input/worlds.ts'
import { inTurn } from '../measure.ts'
import { type Loadable, startService } from '../service.ts'
import { load, P99 } from '../wrk.ts'

/** Leaves the server's thread unsaturated. */
const LOOKUP_CONNECTIONS = 16
const HEAVY_CONNECTIONS = 8
/** One-byte chunks of one request. */
const CHUNKS = 500_000

export const beside: Benchmark = {
  name: 'beside',
  text: 'p99 of lookups alone and beside batches, searches, wrong keys and one-byte chunks of another customer',
  needsPackages: false,
  run: runBeside,
}

async function runBeside({ quick }: Options): Promise<Result> {
  const bodies = writeBodies(openWorld())
  const server = await startService({ indexFile: worldFile('world'), accounts: 2 })
  const heavyCustomer = { ...server, apiKey: server.apiKeys[1] }
  const seconds = quick ? 1 : 4
  const lookups = () => load(server, bodies.lookup, seconds, LOOKUP_CONNECTIONS)
  const lookupsDuring = (heavy: (isOver: () => boolean) => Promise<unknown>) => async () => {
    let isOver = false
    const running = heavy(() => isOver)
    const sample = await lookups()
    isOver = true
    await running
    return sample
  }
  const loadFor = (heavy: Bodies) => () => load(heavyCustomer, heavy, seconds + 1, HEAVY_CONNECTIONS)
  const taken = await inTurn(
    {
      alone: lookups,
      'beside batches': lookupsDuring(loadFor(bodies['validate-bulk'])),
      'beside searches': lookupsDuring(loadFor(bodies.city)),
      'beside nearest': lookupsDuring(loadFor(bodies.nearest)),
      'beside wrong keys': lookupsDuring(isOver => repeat(isOver, () => sendWrongKey(server))),
      'beside one-byte chunks': lookupsDuring(isOver => repeat(isOver, () => sendChunks(server))),
    },
    quick ? 1 : 5,
  ).finally(server.end)
  return {
    measures: measuresOf('lookups', taken),
    findings: Object.entries(taken)
      .filter(([name]) => name !== 'alone')
      .map(([name, spreads]) => ({
        text: `p99 of lookups ${name}, µs`,
        value: spreads[P99].median,
        wanted: { atMost: 10_000 },
      })),
    notes: ['Both load generators, the server and its worker share the cores.'],
  }
}

/** Keeps some connections busy until `isOver`. */
async function repeat(isOver: () => boolean, once: () => Promise<void>): Promise<void> {
  const connection = async () => {
    while (!isOver()) await once()
  }
  await Promise.all(Array.from({ length: HEAVY_CONNECTIONS }, connection))
}

async function sendWrongKey({ port }: Loadable): Promise<void> {
  const body = JSON.stringify({ apiKey: newSecret(), zipcode: '90210' })
  const response = await fetch(`http://127.0.0.1:${port}/api/lookup`, { method: 'POST', body })
  await response.arrayBuffer()
}

/** Sends a body in one-byte chunks, until it is complete or the server closes the connection. */
function sendChunks({ port }: Loadable): Promise<void> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.on('data', () => socket.end())
    socket.write('POST /api/validate-bulk HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
    socket.write(`${'1\r\na\r\n'.repeat(CHUNKS)}0\r\n\r\n`)
  })
}
