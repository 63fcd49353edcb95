/** Are single look-ups hurt while bulk requests saturate the workers? */
import { writeBodies } from '../http/bodies.ts'
import { Server } from '../http/server.ts'
import { runWrk } from '../http/wrk.ts'
import { worldIndex } from '../input/worlds.ts'
import { type Answer, measure, type Options, type Question } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const P99 = 'p99, µs'
/** Few enough that the server's thread is not saturated by the lookups alone. */
const LOOKUP_CONNECTIONS = 16
const BULK_CONNECTIONS = 8

export const mixed: Question = {
  name: 'mixed',
  text: '99th percentile of lookups alone and while bulk requests saturate the workers',
  rivals: false,
  run: runMixed,
}

async function runMixed({ quick }: Options): Promise<Answer> {
  const index = worldIndex()
  const bodies = writeBodies(index)
  const server = await Server.start('postrie', { indexFile: index.path })
  const seconds = quick ? 1 : 4
  const load = (endpoint: 'lookup' | 'bulk', connections: number, during: number) =>
    runWrk({
      url: server.url(endpoint),
      connections,
      seconds: during,
      bodiesFile: bodies[endpoint].file,
      apiKey: server.apiKey,
    })
  const lookups = async () => {
    const { requests, micros, p50, p99 } = await load('lookup', LOOKUP_CONNECTIONS, seconds)
    return { 'p50, µs': p50, [P99]: p99, 'requests/s': (requests / micros) * 1e6 }
  }
  const taken = await inTurn(
    {
      alone: lookups,
      'with bulk': async () => {
        const saturating = load('bulk', BULK_CONNECTIONS, seconds + 1)
        const sample = await lookups()
        await saturating
        return sample
      },
    },
    quick ? 1 : 7,
  )
  await server.end()
  const measures = Object.entries(taken).flatMap(([name, spreads]) =>
    Object.entries(spreads).map(([unit, spread]) => measure('lookups', `postrie, ${name}`, unit, spread)),
  )
  const value = ratioOf(taken['with bulk'][P99], taken.alone[P99])
  return {
    measures,
    ratios: [
      { text: 'p99 of lookups while bulk saturates the workers against alone', value, wanted: '<= 3' },
    ],
    charts: [],
    notes: [
      `${LOOKUP_CONNECTIONS} connections look codes up, ${BULK_CONNECTIONS} send batches of 1,000 records. Both load generators, ` +
        'the server and its worker share the cores: with two of them the lookups lose their core for part of the time.',
    ],
  }
}
