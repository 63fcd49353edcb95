/**
 * Compares this checkout with another one, in the same run. Two starts of the same code differ by up to 15 percent, so each round starts
 * both servers anew. Without a processor for each of server and load, single rounds differ by another 15 percent.
 */
import { spawnSync } from 'node:child_process'
import { type Benchmark, type Goal, measuresOf, type Options, type Result } from '../benchmark.ts'
import { type LoadName, writeBodies } from '../input/bodies.ts'
import { openWorld, worldFile } from '../input/worlds.ts'
import { ratioOf, spreadsOf } from '../measure.ts'
import { ROOT_FOLDER } from '../paths.ts'
import { type Service, startService } from '../service.ts'
import { load, PROCESSOR, REQUESTS } from '../wrk.ts'

const ROUNDS = 9
/** Within a second, batches still take twice the time of a warm server. */
const WARM_UP_SECONDS = 4
const LOAD_PROCESSOR = 0
const SERVER_PROCESSOR = 1
const WANTED = {
  lookup: { atLeast: 0.95 },
  metacode: { atLeast: 0.95 },
  validate: { atLeast: 0.95 },
  'validate-bulk': { atLeast: 0.85 },
} as const satisfies Partial<Record<LoadName, Goal>>
const LOADS = Object.keys(WANTED) as (keyof typeof WANTED)[]

type Sample = Awaited<ReturnType<typeof load>>

export const versions: Benchmark = {
  name: 'versions',
  text: 'this checkout against that of --against, four endpoints over HTTP',
  needsPackages: false,
  isRunByName: true,
  run: runVersions,
}

async function runVersions({ quick, log, against }: Options): Promise<Result> {
  if (against === undefined)
    throw new Error('the benchmark versions needs --against=<a compiled checkout of postrie>')
  const bodies = writeBodies(openWorld())
  const checkouts = { this: ROOT_FOLDER, that: against }
  const taken = LOADS.map(name => ({ name, this: [] as Sample[], that: [] as Sample[] }))
  pin(process.pid, LOAD_PROCESSOR)
  for (let round = 0; round < (quick ? 1 : ROUNDS); round++) {
    const order = round % 2 === 0 ? (['this', 'that'] as const) : (['that', 'this'] as const)
    for (const which of order) {
      log(`round ${round + 1}: ${which}`)
      const service = await serve(checkouts[which])
      try {
        for (const { name, [which]: samples } of taken) {
          await load(service, bodies[name], quick ? 1 : WARM_UP_SECONDS)
          samples.push(await load(service, bodies[name], quick ? 1 : 2))
        }
      } finally {
        await service.end()
      }
    }
  }
  const result: Result = { measures: [], findings: [], notes: [NOTE] }
  for (const samples of taken) {
    const { name } = samples
    const spreads = { this: spreadsOf(samples.this), that: spreadsOf(samples.that) }
    result.measures.push(...measuresOf(name, spreads))
    result.findings.push(
      {
        text: `${name}: requests/s of this against that`,
        value: ratioOf(spreads.this[REQUESTS], spreads.that[REQUESTS]),
        wanted: WANTED[name],
      },
      {
        text: `${name}: processor time of this against that`,
        value: ratioOf(spreads.this[PROCESSOR], spreads.that[PROCESSOR]),
      },
    )
  }
  return result
}

/** Serves an index that the checkout has built, on a processor that the load does not use. */
async function serve(checkout: string): Promise<Service> {
  const service = await startService({ checkout, indexFile: worldFile('world', checkout) })
  pin(service.pid, SERVER_PROCESSOR)
  return service
}

/** Keeps all threads of a process on one processor, and those that they start. */
function pin(pid: number, processor: number): void {
  const { status, error } = spawnSync('taskset', ['-acp', String(processor), String(pid)], {
    stdio: 'ignore',
  })
  if (status !== 0) throw new Error('taskset failed. It comes with util-linux', { cause: error })
}

const NOTE =
  'Above 1, this checkout is better in requests/s; below 1, in processor time. The ratio is the median of the ratios, round by round.'
