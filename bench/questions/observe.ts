/** What do request log, headers and traces cost a lookup? */
import { writeBodies } from '../http/bodies.ts'
import { load, PROCESSOR, REQUESTS } from '../http/load.ts'
import { Server } from '../http/server.ts'
import { worldIndex } from '../input/worlds.ts'
import { type Answer, measure, type Options, type Question, type Ratio } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const CONNECTIONS = 64
const ROUNDS = 25
const OFF = { REQUEST_LOG_MB: '0' }
const HEADERS = 'request-id,server-timing,index-build'
/** Each with one more than the row before. */
const SETTINGS = {
  'all off': OFF,
  'request log': {},
  'and all headers': { ANSWER_HEADERS: HEADERS },
  'and traces of one percent': { ANSWER_HEADERS: HEADERS, TRACE_SHARE: '0.01' },
} satisfies Record<string, Readonly<Record<string, string>>>

export const observe: Question = {
  name: 'observe',
  text: 'lookups over HTTP with the request log, all headers and traces, against none of them',
  rivals: false,
  run: runObserve,
}

async function runObserve({ quick, log }: Options): Promise<Answer> {
  const index = worldIndex()
  const bodies = writeBodies(index).lookup
  const servers = new Map<string, Server>()
  for (const [name, env] of Object.entries(SETTINGS)) {
    log(`starting a server with: ${name}`)
    servers.set(name, await Server.start('postrie', { indexFile: index.path, env }))
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
    ratios: on.flatMap((name): Ratio[] => [
      {
        text: `${name}: requests/s against ${off}`,
        value: ratioOf(taken[name][REQUESTS], taken[off][REQUESTS]),
        wanted: name === 'request log' ? '>= 0.99' : '>= 0.98',
      },
      {
        text: `${name}: processor time against ${off}`,
        value: ratioOf(taken[name][PROCESSOR], taken[off][PROCESSOR]),
      },
      {
        text: `${name}: processor time of the best round against that of ${off}`,
        value: taken[name][PROCESSOR].min / taken[off][PROCESSOR].min,
        wanted: name === 'request log' ? '<= 1.01' : '<= 1.02',
      },
    ]),
    charts: [],
    notes: [
      'The load generator reads the headers as well, on the same cores, and pays for that in requests/s; processor time is the ' +
        "server's alone. On a machine with other work, the best rounds say most.",
      'Each row has one more than the row before it. No SDK is loaded, so that spans cost what making them costs. Counts for ' +
        'metrics are always on: `versions` compares them with a checkout that has fewer.',
    ],
  }
}
