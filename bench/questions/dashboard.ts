/** Does the hot path notice people who use the dashboard? */
import { writeBodies } from '../http/bodies.ts'
import { PACES, type Pace, startUsers } from '../http/dashboard-users.ts'
import { Server } from '../http/server.ts'
import { runWrk } from '../http/wrk.ts'
import { worldIndex } from '../input/worlds.ts'
import { type Answer, measure, type Options, type Question, type Ratio } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const REQUESTS = 'requests/s'
const CONNECTIONS = 64
const PEOPLE = 10
/** What the goal is about: nobody reads a page in a tenth of a second. */
const GOAL: Pace = 'people'

export const dashboard: Question = {
  name: 'dashboard',
  text: `lookups alone, and while ${PEOPLE} people or robots click through the dashboard`,
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
    seconds: quick ? 1 : 4,
    bodiesFile: bodies.lookup.file,
    apiKey: server.apiKey,
  }
  const lookups = async () => {
    const { requests, micros, p99 } = await runWrk(load)
    return { [REQUESTS]: (requests / micros) * 1e6, 'p99, µs': p99 }
  }
  const paces = Object.keys(PACES) as Pace[]
  const answered = new Map(paces.map(pace => [pace, 0]))
  const rounds = quick ? 1 : 4
  const whileClicking = (pace: Pace) => async () => {
    const users = await startUsers(server.entrance, PEOPLE, pace)
    const before = users.answered()
    const sample = await lookups()
    answered.set(pace, (answered.get(pace) ?? 0) + users.answered() - before)
    await users.stop()
    return sample
  }
  const taken = await inTurn(
    { alone: lookups, ...Object.fromEntries(paces.map(pace => [pace, whileClicking(pace)])) },
    rounds,
  )
  await server.end()
  const measures = Object.entries(taken).flatMap(([name, spreads]) =>
    Object.entries(spreads).map(([unit, spread]) => measure('lookups', `postrie, ${name}`, unit, spread)),
  )
  const ratios = paces.map(
    (pace): Ratio => ({
      text: `lookups while ${PEOPLE} ${PACES[pace].text}, against alone`,
      value: ratioOf(taken[pace][REQUESTS], taken.alone[REQUESTS]),
      wanted: pace === GOAL ? '>= 0.98' : undefined,
    }),
  )
  // One round more, which warms up, is counted as well.
  const seconds = load.seconds * (rounds + 1)
  const rates = paces.map(pace => `${pace}: ${((answered.get(pace) ?? 0) / seconds).toFixed(1)}`)
  return {
    measures,
    ratios,
    charts: [],
    notes: [
      `Pages and live figures that were answered in a second: ${rates.join(', ')}.`,
      'The load generator and the programs that click share the cores with the server, and what they take is in the ratios.',
    ],
  }
}
