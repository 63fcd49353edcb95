/** What does each further server thread bring, and what does it cost? */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { writeBodies } from '../http/bodies.ts'
import { load, P99, PROCESSOR, REQUESTS } from '../http/load.ts'
import { Server } from '../http/server.ts'
import { sampleCodes } from '../input/samples.ts'
import { worldIndex } from '../input/worlds.ts'
import { CACHE_FOLDER } from '../paths.ts'
import { type Answer, type Measure, measure, type Options, type Question, type Ratio } from '../question.ts'
import { inTurn } from '../rounds.ts'
import { ratioOf } from '../statistics.ts'

const THREADS = [1, 2, 4, 8]
const CONNECTIONS = 64
/** As many for each of eight threads as one has at 64. */
const MANY_CONNECTIONS = 512
const ACCOUNTS = 1000
const BODIES = 10_000
const WAITS = 'waits for an account, per 1,000 requests'
const MEMORY = 'resident, MB'

export const scale: Question = {
  name: 'scale',
  text: `lookups with 1 to ${THREADS.at(-1)} server threads, on one account and on ${ACCOUNTS}`,
  rivals: false,
  run: runScale,
}

async function runScale({ quick, log }: Options): Promise<Answer> {
  const seconds = quick ? 1 : 4
  const index = worldIndex()
  const { lookup } = writeBodies(index)
  const servers = new Map<number, Server>()
  for (const threads of THREADS) {
    log(`starting ${threads} threads`)
    servers.set(
      threads,
      await Server.start('postrie', { indexFile: index.path, threads, accounts: ACCOUNTS }),
    )
  }
  const measures: Measure[] = []
  const ratios: Ratio[] = []
  for (const [name, connections, file] of [
    ['one account, one key', CONNECTIONS, () => lookup.file],
    [`one account, one key, ${MANY_CONNECTIONS} connections`, MANY_CONNECTIONS, () => lookup.file],
    [`${ACCOUNTS} accounts`, CONNECTIONS, (server: Server) => bodiesOfAll(index, server)],
  ] as const) {
    log(name)
    const run = (server: Server) => async () => {
      const before = await lockWaits(server)
      const sample = await load(server, 'lookup', connections, file(server), seconds)
      const waits = (await lockWaits(server)) - before
      return { ...sample, [WAITS]: (1000 * waits) / (sample[REQUESTS] * seconds) }
    }
    const contenders = Object.fromEntries(
      Array.from(servers, ([threads, server]) => [`${threads}`, run(server)]),
    )
    const taken = await inTurn(contenders, quick ? 1 : 7)
    for (const threads of THREADS) {
      for (const [unit, spread] of Object.entries(taken[threads]))
        measures.push(measure(name, `${threads} thread${threads > 1 ? 's' : ''}`, unit, spread))
      if (threads === 1) continue
      ratios.push(
        {
          text: `${name}: requests/s of ${threads} threads against 1`,
          value: ratioOf(taken[threads][REQUESTS], taken[1][REQUESTS]),
        },
        {
          text: `${name}: processor time per request of ${threads} threads against 1`,
          value: ratioOf(taken[threads][PROCESSOR], taken[1][PROCESSOR]),
          wanted: '<= 1.05',
        },
        {
          text: `${name}: p99 of ${threads} threads against 1`,
          value: ratioOf(taken[threads][P99], taken[1][P99]),
        },
      )
    }
  }
  const resident = new Map<number, number>()
  for (const [threads, server] of servers) {
    const { all } = await server.child.call<{ all: number }>('resident')
    resident.set(threads, all / 1e6)
    const value = all / 1e6
    measures.push(
      measure('after the load', `${threads} threads`, MEMORY, {
        median: value,
        min: value,
        max: value,
        rounds: [value],
      }),
    )
  }
  const [few, many] = [THREADS[0], THREADS.at(-1) ?? 0]
  ratios.push({
    text: 'MB for each thread beyond the first',
    value: ((resident.get(many) ?? 0) - (resident.get(few) ?? 0)) / (many - few),
    wanted: '<= 25',
  })
  for (const server of servers.values()) await server.end()
  return {
    measures,
    ratios,
    charts: [],
    notes: [
      `${availableParallelism()} cores for the load generator, the server threads and the ledger thread together. Where there are fewer ` +
        'cores than threads, processor time per request says what a thread costs, and requests/s does not.',
    ],
  }
}

/** Lookups that go round all accounts of the server. */
function bodiesOfAll(index: ReturnType<typeof worldIndex>, server: Server): string {
  const file = `${CACHE_FOLDER}codes-of-accounts-${server.port}.txt`
  const codes = sampleCodes(index, BODIES, 1)
  const keys = server.apiKeys
  const lines = codes.map(({ country, text }, i) =>
    JSON.stringify({ apiKey: keys[i % keys.length], zipcode: text, country }),
  )
  writeFileSync(file, lines.join('\n'))
  return file
}

/** How often a thread has found the lock of an account taken by another thread, since the start. */
async function lockWaits({ controlPort }: Server): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${controlPort}/metrics`)
  return Number(/^postrie_account_lock_waits_total (\d+)/m.exec(await response.text())?.[1] ?? Number.NaN)
}
