/** What does the whole machine answer, when everybody uses all of its cores? */
import { availableParallelism } from 'node:os'
import { compareAnswers, typicalBytes } from '../http/answers.ts'
import { writeBodies } from '../http/bodies.ts'
import { load, PROCESSOR, REQUESTS } from '../http/load.ts'
import { SERVERS, Server, type ServerName } from '../http/server.ts'
import { worldIndex } from '../input/worlds.ts'
import { type Answer, measure, type Options, type Question } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const CONNECTIONS = 64
const GROUP = 'lookup, 64 connections, every core'
/** The bare handler shows what the load generator and the kernel leave to all of them. */
const NAMES = ['postrie', 'bare', 'fastify', 'express'] as const satisfies readonly ServerName[]

export const cores: Question = {
  name: 'cores',
  text: 'lookups/s of the whole machine: server threads, and rivals in a process for each core (node:cluster)',
  rivals: true,
  run: runCores,
}

async function runCores({ quick, log }: Options): Promise<Answer> {
  const index = worldIndex()
  const { lookup } = writeBodies(index)
  const count = availableParallelism()
  const setup = { indexFile: index.path, answerBytes: { lookup: 0 } }
  const servers = new Map<ServerName, Server>()
  for (const name of NAMES) {
    log(`starting ${count} of ${SERVERS[name]}`)
    const server = await Server.start(name, {
      ...setup,
      ...(name === 'postrie' ? { threads: count } : { processes: count }),
    })
    servers.set(name, server)
    const postrie = servers.get('postrie') ?? server
    if (name === 'postrie') setup.answerBytes.lookup = await typicalBytes(server, 'lookup', lookup.some)
    else if (name !== 'bare') await compareAnswers(postrie, server, 'lookup', lookup.some)
  }
  const run = (server: Server) => () => load(server, 'lookup', CONNECTIONS, lookup.file, quick ? 1 : 4)
  const contenders = Object.fromEntries(Array.from(servers, ([name, server]) => [name, run(server)]))
  const taken = await inTurn(contenders, quick ? 1 : 7)
  for (const server of servers.values()) await server.end()
  return {
    measures: NAMES.flatMap(name =>
      Object.entries(taken[name]).map(([unit, spread]) => measure(GROUP, SERVERS[name], unit, spread)),
    ),
    ratios: NAMES.slice(1).flatMap(name =>
      ([REQUESTS, PROCESSOR] as const).map(unit => ({
        text: `${unit} against ${SERVERS[name]}`,
        value: ratioOf(taken.postrie[unit], taken[name][unit]),
      })),
    ),
    charts: [
      {
        file: 'cores-lookup',
        title: `/api/lookup on all ${count} cores: requests per second`,
        description: `Lookups per second of postrie with ${count} server threads and of rivals with ${count} processes each, at ${CONNECTIONS} connections.`,
        unit: REQUESTS,
        groups: [GROUP],
        lessIsBetter: false,
      },
    ],
    notes: [
      `${count} cores for the load generator and all threads or processes of a server. Each process of a rival has its own copy of the ` +
        'data and its own balances; the threads of postrie share one index, and every balance is exact.',
    ],
  }
}
