/** How near does each endpoint come to a server that does nothing, and how far ahead of the usual ones is it? */
import { compareAnswers, typicalBytes } from '../http/answers.ts'
import { writeBodies } from '../http/bodies.ts'
import { load, P99, REQUESTS } from '../http/load.ts'
import { SERVERS, Server, type ServerName } from '../http/server.ts'
import { ENDPOINTS, type EndpointName } from '../http/setup.ts'
import { worldIndex } from '../input/worlds.ts'
import { type Answer, type Measure, measure, type Options, type Question, type Ratio } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const NAMES = Object.keys(SERVERS) as ServerName[]

export const http: Question = {
  name: 'http',
  text: 'requests/s and latency of every endpoint against a bare handler, Fastify, Express and JSON.parse',
  rivals: true,
  run: runHttp,
}

async function runHttp({ quick, log }: Options): Promise<Answer> {
  const index = worldIndex()
  const bodies = writeBodies(index)
  const setup = { indexFile: index.path }
  const postrie = await Server.start('postrie', setup)
  const answerBytes = Object.fromEntries(
    await Promise.all(
      ENDPOINTS.map(async name => [name, await typicalBytes(postrie, name, bodies[name].some)]),
    ),
  )
  const servers = new Map<ServerName, Server>([['postrie', postrie]])
  for (const name of NAMES.slice(1)) {
    log(`starting ${SERVERS[name]}`)
    const server = await Server.start(name, { ...setup, answerBytes })
    servers.set(name, server)
    if (name !== 'bare')
      for (const each of ENDPOINTS) await compareAnswers(postrie, server, each, bodies[each].some)
  }
  const measures: Measure[] = []
  const ratios: Ratio[] = []
  for (const endpoint of ENDPOINTS) {
    for (const connections of quick ? [64] : connectionsOf(endpoint)) {
      log(`${endpoint}, ${connections} connections`)
      const group = `${endpoint}, ${connections} connection${connections > 1 ? 's' : ''}`
      const one = (server: Server) => () =>
        load(server, endpoint, connections, bodies[endpoint].file, quick ? 1 : 3)
      const contenders = Object.fromEntries(Array.from(servers, ([name, server]) => [name, one(server)]))
      const taken = await inTurn(contenders, quick ? 1 : 3)
      for (const name of NAMES) {
        for (const [unit, spread] of Object.entries(taken[name])) {
          measures.push(measure(group, SERVERS[name], unit, spread))
        }
        if (name === 'postrie') continue
        ratios.push({
          text: `${group}: requests/s against ${SERVERS[name]}`,
          value: ratioOf(taken.postrie[REQUESTS], taken[name][REQUESTS]),
          wanted: connections === 64 ? wantedOf(endpoint, name) : undefined,
        })
      }
      ratios.push({
        text: `${group}: p99 against ${SERVERS.bare}`,
        value: ratioOf(taken.postrie[P99], taken.bare[P99]),
        wanted:
          connections === 64 && (endpoint === 'lookup' || endpoint === 'validate') ? '<= 1.3' : undefined,
      })
    }
  }
  for (const server of servers.values()) await server.end()
  return { measures, ratios, charts: CHARTS, notes: NOTES }
}

/** Of 512 batches at once, all but the 64 that may wait for a worker are answered 503: no work to measure. */
function connectionsOf(endpoint: EndpointName): readonly number[] {
  return endpoint === 'bulk' ? [64, 1] : [64, 1, 512]
}

const CHARTS = ENDPOINTS.map(endpoint => ({
  file: `http-${endpoint}`,
  title: `/api/${endpoint === 'bulk' ? 'validate-bulk, 1,000 records' : endpoint}: requests per second`,
  description: `Requests per second of the endpoint ${endpoint} at 64 connections, postrie and four others.`,
  unit: REQUESTS,
  groups: [`${endpoint}, 64 connections`],
  lessIsBetter: false,
}))

const NOTES = [
  'One wrk thread and one server thread share two cores. Rivals keep balances in memory only; postrie writes a ledger.',
  'postrie validates bulk bodies on one worker thread, rivals on their server thread.',
]

function wantedOf(endpoint: EndpointName, rival: ServerName): string | undefined {
  if (rival === 'bare')
    return { lookup: '>= 0.85', validate: '>= 0.85', metacode: '>= 0.8' }[endpoint as string]
  return endpoint === 'lookup' ? { fastify: '>= 7', express: '>= 20' }[rival as string] : undefined
}
