/** What does each step of a lookup cost, from a handler that does nothing to the whole service? */
import { writeBodies } from '../http/bodies.ts'
import { load, PROCESSOR, REQUESTS } from '../http/load.ts'
import { SERVERS, Server } from '../http/server.ts'
import { STEPS } from '../http/steps.ts'
import { worldIndex } from '../input/worlds.ts'
import { type Answer, measure, type Options, type Question, type Ratio } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const CONNECTIONS = 64
const GROUP = `lookup, ${CONNECTIONS} connections`

export const steps: Question = {
  name: 'steps',
  text: 'a lookup over HTTP that ends after each of its steps, against the bare handler and the whole service',
  rivals: false,
  run: runSteps,
}

async function runSteps({ quick, log }: Options): Promise<Answer> {
  const index = worldIndex()
  const bodies = writeBodies(index).lookup
  const setup = { indexFile: index.path }
  const whole = await Server.start('postrie', setup)
  const answer = await whole.post('lookup', bodies.some[0])
  const answerBytes = { lookup: (await answer.arrayBuffer()).byteLength }
  const servers = new Map([[SERVERS.bare as string, await Server.start('bare', { ...setup, answerBytes })]])
  for (const lastStep of STEPS) {
    log(`starting a server up to: ${lastStep}`)
    servers.set(lastStep, await Server.start('steps', { ...setup, answerBytes, lastStep }))
  }
  servers.set(SERVERS.postrie, whole)
  const one = (server: Server) => async () => {
    const sample = await load(server, 'lookup', CONNECTIONS, bodies.file, 1)
    return { [REQUESTS]: sample[REQUESTS], [PROCESSOR]: sample[PROCESSOR] }
  }
  const taken = await inTurn(
    Object.fromEntries(Array.from(servers, ([name, server]) => [name, one(server)])),
    quick ? 1 : 25,
  )
  for (const server of servers.values()) await server.end()
  const names = [...servers.keys()]
  const ratios = names.slice(1).map((name, i): Ratio => {
    const more = taken[name][PROCESSOR].median - taken[names[i]][PROCESSOR].median
    return {
      text: `${name}: requests/s against ${SERVERS.bare} (${more.toFixed(2)} µs more than the row before)`,
      value: ratioOf(taken[name][REQUESTS], taken[SERVERS.bare][REQUESTS]),
    }
  })
  return {
    measures: names.flatMap(name =>
      Object.entries(taken[name]).map(([unit, spread]) => measure(GROUP, name, unit, spread)),
    ),
    ratios,
    charts: [
      {
        file: 'steps',
        title: 'A lookup over HTTP, up to each of its steps',
        description: 'Microseconds of processor time per request, kernel and HTTP server included.',
        unit: PROCESSOR,
        lessIsBetter: true,
      },
    ],
    notes: ['Each row does what the rows above it do, and its own step.'],
  }
}
