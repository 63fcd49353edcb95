/** Does the hot path notice people who use the dashboard? */
import { writeBodies } from '../http/bodies.ts'
import { startUsers } from '../http/dashboard-users.ts'
import { Server } from '../http/server.ts'
import { runWrk } from '../http/wrk.ts'
import { worldIndex } from '../input/worlds.ts'
import { type Answer, measure, type Options, type Question } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const REQUESTS = 'requests/s'
const CONNECTIONS = 64
const PEOPLE = 10

export const dashboard: Question = {
  name: 'dashboard',
  text: `lookups alone and while ${PEOPLE} people click through the dashboard`,
  rivals: false,
  run: runDashboard,
}

async function runDashboard({ quick }: Options): Promise<Answer> {
  const index = worldIndex()
  const bodies = writeBodies(index)
  const server = await Server.start('postrie', { indexFile: index.path })
  const load = {
    url: server.url('lookup'),
    connections: CONNECTIONS,
    seconds: quick ? 1 : 5,
    bodiesFile: bodies.lookup.file,
    apiKey: server.apiKey,
  }
  const lookups = async () => {
    const { requests, micros, p99 } = await runWrk(load)
    return { [REQUESTS]: (requests / micros) * 1e6, 'p99, µs': p99 }
  }
  let clicks = 0
  const taken = await inTurn(
    {
      alone: lookups,
      'with people': async () => {
        const users = await startUsers(server.entrance, PEOPLE)
        const sample = await lookups()
        clicks += users.answered()
        await users.stop()
        return sample
      },
    },
    quick ? 1 : 7,
  )
  await server.end()
  const measures = Object.entries(taken).flatMap(([name, spreads]) =>
    Object.entries(spreads).map(([unit, spread]) => measure('lookups', `postrie, ${name}`, unit, spread)),
  )
  const value = ratioOf(taken['with people'][REQUESTS], taken.alone[REQUESTS])
  return {
    measures,
    ratios: [{ text: `lookups while ${PEOPLE} people click against alone`, value, wanted: '>= 0.97' }],
    charts: [],
    notes: [
      `The people opened ${clicks} pages and figures: one page a second each, live figures every two seconds.`,
    ],
  }
}
