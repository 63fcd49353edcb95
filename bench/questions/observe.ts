/** What do metrics, the request log, request ids, other headers and traces cost a lookup? */
import { writeBodies } from '../http/bodies.ts'
import { load, PROCESSOR, REQUESTS } from '../http/load.ts'
import { Server } from '../http/server.ts'
import { worldIndex } from '../input/worlds.ts'
import { type Answer, measure, type Options, type Question, type Ratio } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const CONNECTIONS = 64
const ROUNDS = 12
const NO_COUNTS = './http/no-counts.ts'
const NO_ACTIVITY = './http/no-activity.ts'
const NO_LOG = { REQUEST_LOG_MB: '0' }
const HEADERS = 'request-id,server-timing,index-build'
/** What the goal is about; what comes after it is off by default or asked for by clients. */
const GOAL = 'and request ids'
/** Each has one part more than the row before. Parts that have no setting are taken out of every thread before it starts. */
const CONTENDERS: Readonly<
  Record<string, { env: Readonly<Record<string, string>>; without: readonly string[] }>
> = {
  'all off': { env: NO_LOG, without: [NO_COUNTS, NO_ACTIVITY] },
  metrics: { env: NO_LOG, without: [NO_ACTIVITY] },
  'and the request log': { env: {}, without: [] },
  [GOAL]: { env: { ANSWER_HEADERS: 'request-id' }, without: [] },
  'and all headers': { env: { ANSWER_HEADERS: HEADERS }, without: [] },
  'and traces of one percent': { env: { ANSWER_HEADERS: HEADERS, TRACE_SHARE: '0.01' }, without: [] },
}

export const observe: Question = {
  name: 'observe',
  text: 'lookups over HTTP with metrics, request log, request ids, all headers and traces, against none of them',
  rivals: false,
  run: runObserve,
}

async function runObserve({ quick, log }: Options): Promise<Answer> {
  const index = worldIndex()
  const bodies = writeBodies(index).lookup
  const servers = new Map<string, Server>()
  for (const [name, { env, without }] of Object.entries(CONTENDERS)) {
    log(`starting a server with: ${name}`)
    servers.set(name, await Server.start('postrie', { indexFile: index.path, env }, without))
  }
  const one = (server: Server) => async () => {
    const sample = await load(server, 'lookup', CONNECTIONS, bodies.file, 1)
    return { [REQUESTS]: sample[REQUESTS], [PROCESSOR]: sample[PROCESSOR] }
  }
  const taken = await inTurn(
    Object.fromEntries(Array.from(servers, ([name, server]) => [name, one(server)])),
    quick ? 1 : ROUNDS,
  )
  for (const server of servers.values()) await server.end()
  const [off, ...on] = servers.keys()
  return {
    measures: Object.entries(taken).flatMap(([name, spreads]) =>
      Object.entries(spreads).map(([unit, spread]) => measure('lookup', name, unit, spread)),
    ),
    ratios: on.flatMap((name): Ratio[] => {
      const isGoal = name === GOAL
      return [
        {
          text: `${name}: requests/s against ${off}`,
          value: ratioOf(taken[name][REQUESTS], taken[off][REQUESTS]),
          wanted: isGoal ? '>= 0.98' : undefined,
        },
        {
          text: `${name}: processor time of a request against ${off}`,
          value: ratioOf(taken[name][PROCESSOR], taken[off][PROCESSOR]),
          wanted: isGoal ? '<= 1.02' : undefined,
        },
        {
          text: `${name}: the same, of the best rounds`,
          value: taken[name][PROCESSOR].min / taken[off][PROCESSOR].min,
        },
      ]
    }),
    charts: [],
    notes: [
      'The load generator reads the headers as well, on the same cores, and pays for that in requests/s; processor time is the ' +
        "server's alone. On a machine with other work, the best rounds say most.",
      'Each row has one part more than the row before it. No SDK is loaded, so that spans cost what making them costs.',
    ],
  }
}
