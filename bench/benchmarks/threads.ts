/** Measures the gain and the cost of each further server thread. */

import { type Benchmark, measuresOf, type Options, type Result } from '../benchmark.ts'
import { writeBodies, writeBodyFile } from '../input/bodies.ts'
import { sampleCodes } from '../input/samples.ts'
import { openWorld, worldFile } from '../input/worlds.ts'
import { inTurn, ratioOf } from '../measure.ts'
import { residentBytes, type Service, startService } from '../service.ts'
import { load, PROCESSOR, REQUESTS } from '../wrk.ts'

const THREADS = [1, 2, 4]
const ACCOUNTS = 1000

export const threads: Benchmark = {
  name: 'threads',
  text: `lookups with 1, 2 and 4 server threads, on one account and on ${ACCOUNTS}`,
  needsPackages: false,
  run: runThreads,
}

async function runThreads({ quick, log }: Options): Promise<Result> {
  const codes = openWorld()
  const { lookup } = writeBodies(codes)
  const samples = sampleCodes(codes, 10_000, 1)
  const servers = new Map<number, Service>()
  try {
    for (const count of THREADS) {
      log(`starting ${count} threads`)
      servers.set(
        count,
        await startService({ indexFile: worldFile('world'), threads: count, accounts: ACCOUNTS }),
      )
    }
    const result: Result = { measures: [], findings: [], notes: [NOTE] }
    for (const [group, bodiesOf] of [
      ['one account, one key', () => lookup],
      [`${ACCOUNTS} accounts`, (server: Service) => bodiesOfAll(server)],
    ] as const) {
      log(group)
      const contenders = Array.from(servers, ([count, server]) => {
        const bodies = bodiesOf(server)
        return [`${count}`, () => load(server, bodies, quick ? 1 : 4)] as const
      })
      const taken = await inTurn(Object.fromEntries(contenders), quick ? 1 : 7)
      result.measures.push(...measuresOf(group, taken))
      for (const count of THREADS.slice(1))
        for (const unit of [REQUESTS, PROCESSOR] as const)
          result.findings.push({
            text: `${group}: ${unit} of ${count} threads against 1`,
            value: ratioOf(taken[count][unit], taken[1][unit]),
          })
    }
    const resident = (count: number) => residentBytes(servers.get(count)?.pid ?? 0) / 1e6
    const [first, last] = [THREADS[0], THREADS[THREADS.length - 1]]
    result.findings.push({
      text: 'MB for each thread beyond the first',
      value: (resident(last) - resident(first)) / (last - first),
      wanted: { atMost: 25 },
    })
    return result
  } finally {
    for (const server of servers.values()) await server.end()
  }

  /** Returns lookups that use the keys of all accounts in turn. */
  function bodiesOfAll({ apiKeys, port }: Service) {
    const bodies = samples.map(({ country, text }, i) => ({
      apiKey: apiKeys[i % apiKeys.length],
      zipcode: text,
      country,
    }))
    return { ...writeBodyFile(`accounts-${port}`, bodies), path: '/api/lookup' }
  }
}

const NOTE =
  'Load generator, server threads and ledger thread share the cores. With fewer cores than threads, compare processor time per request, not throughput.'
