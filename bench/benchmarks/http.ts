/** Measures lookups per second against a bare handler, Fastify and Express, on one core and on all cores. */
import { availableParallelism } from 'node:os'
import {
  type Benchmark,
  type Finding,
  type Measure,
  measuresOf,
  type Options,
  type Result,
} from '../benchmark.ts'
import { writeBodies } from '../input/bodies.ts'
import { openWorld, worldFile } from '../input/worlds.ts'
import { inTurn, ratioOf } from '../measure.ts'
import { RIVALS, type RivalName } from '../rivals/servers.ts'
import { expectEqualAnswers, post, startRival } from '../rivals/start-rival.ts'
import { type Loadable, startService } from '../service.ts'
import { CONNECTIONS, load, P99, REQUESTS } from '../wrk.ts'

const NAMES = Object.keys(RIVALS) as RivalName[]
const TITLES = { postrie: 'postrie', ...Object.fromEntries(NAMES.map(name => [name, RIVALS[name].title])) }

export const http: Benchmark = {
  name: 'http',
  text: 'lookups/s against a bare handler, Fastify and Express, on one core and on all cores',
  needsPackages: true,
  run: runHttp,
}

async function runHttp({ quick, log }: Options): Promise<Result> {
  const { lookup } = writeBodies(openWorld())
  const cores = availableParallelism()
  const measures: Measure[] = []
  const findings: Finding[] = []
  for (const count of new Set([1, cores])) {
    const group = groupOf(count)
    const taken = await withAll(count, lookup.samples, log, servers => {
      log(group)
      const contenders = Object.entries(servers).map(([name, server]) => [
        name,
        () => load(server, lookup, quick ? 1 : 4),
      ])
      return inTurn<Awaited<ReturnType<typeof load>>>(Object.fromEntries(contenders), quick ? 1 : 7)
    })
    measures.push(...measuresOf(group, taken, TITLES))
    for (const name of NAMES)
      findings.push({
        text: `${group}: requests/s against ${RIVALS[name].title}`,
        value: ratioOf(taken.postrie[REQUESTS], taken[name][REQUESTS]),
      })
    findings.push({
      text: `${group}: p99 against ${RIVALS.bare.title}`,
      value: ratioOf(taken.postrie[P99], taken.bare[P99]),
    })
  }
  return {
    measures,
    findings,
    charts: [
      {
        file: 'cores-lookup',
        title: `/api/lookup on all ${cores} cores: requests per second`,
        description: `Lookups per second of postrie with ${cores} server threads and of rivals with ${cores} processes each, at ${CONNECTIONS} connections.`,
        unit: REQUESTS,
        groups: [groupOf(cores)],
      },
    ],
    notes: [
      'The load generator and all servers share the cores. Rivals keep balances in memory only, each process its own; postrie writes a ledger, and its threads share exact balances.',
    ],
  }
}

function groupOf(count: number): string {
  return count === 1 ? 'lookup, one thread or process' : `lookup, ${count} threads or processes`
}

/** Starts postrie and the rivals, compares their answers, and ends all after `measure`. */
async function withAll<T>(
  count: number,
  samples: readonly string[],
  log: Options['log'],
  measure: (servers: Readonly<Record<string, Loadable>>) => Promise<T>,
): Promise<T> {
  const indexFile = worldFile('world')
  const servers: Record<string, Loadable> = {}
  try {
    log(`starting ${count} of each`)
    servers.postrie = await startService({ indexFile, threads: count })
    const lengths = await Promise.all(samples.map(async body => (await post(servers.postrie, body)).length))
    const answerBytes = lengths.sort((a, b) => a - b)[lengths.length >> 1]
    for (const name of NAMES) {
      servers[name] = await startRival({ name, indexFile, answerBytes, processes: count })
      if (name !== 'bare') await expectEqualAnswers(servers.postrie, servers[name], samples)
    }
    return await measure(servers)
  } finally {
    await Promise.all(Object.values(servers).map(server => server.end()))
  }
}
