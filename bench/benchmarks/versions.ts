/** Compares this checkout with another one, in the same run. */

import { type Benchmark, type Goal, measuresOf, type Options, type Result } from '../benchmark.ts'
import { type LoadName, writeBodies } from '../input/bodies.ts'
import { openWorld, worldFile } from '../input/worlds.ts'
import { inTurn, ratioOf } from '../measure.ts'
import { ROOT_FOLDER } from '../paths.ts'
import { type Service, startService } from '../service.ts'
import { load, PROCESSOR, REQUESTS } from '../wrk.ts'

const ROUNDS = 9
const LOADS = [
  'lookup',
  'metacode',
  'validate',
  'city',
  'validate-bulk',
  'nearest',
  'autocomplete',
] as const satisfies readonly LoadName[]
const WANTED: Partial<Record<LoadName, Goal>> = {
  lookup: { atLeast: 0.95 },
  metacode: { atLeast: 0.95 },
  validate: { atLeast: 0.95 },
  'validate-bulk': { atLeast: 0.85 },
}

export const versions: Benchmark = {
  name: 'versions',
  text: 'this checkout against that of --against, seven endpoints over HTTP',
  needsPackages: false,
  isRunByName: true,
  run: runVersions,
}

async function runVersions({ quick, log, against }: Options): Promise<Result> {
  if (against === undefined)
    throw new Error('the benchmark versions needs --against=<a compiled checkout of postrie>')
  const bodies = writeBodies(openWorld())
  const services: Service[] = []
  const result: Result = { measures: [], findings: [], notes: [NOTE] }
  try {
    for (const checkout of [ROOT_FOLDER, against]) services.push(await serve(checkout))
    const [one, other] = services
    for (const name of LOADS) {
      log(name)
      const run = (service: Service) => () => load(service, bodies[name], quick ? 1 : 3)
      const taken = await inTurn({ this: run(one), that: run(other) }, quick ? 1 : ROUNDS)
      result.measures.push(...measuresOf(name, taken))
      result.findings.push(
        {
          text: `${name}: requests/s of this against that`,
          value: ratioOf(taken.this[REQUESTS], taken.that[REQUESTS]),
          wanted: WANTED[name],
        },
        {
          text: `${name}: processor time of this against that`,
          value: ratioOf(taken.this[PROCESSOR], taken.that[PROCESSOR]),
        },
      )
    }
    return result
  } finally {
    await Promise.all(services.map(service => service.end()))
  }
}

/** Serves an index that the checkout has built. */
function serve(checkout: string): Promise<Service> {
  return startService({ checkout, indexFile: worldFile('world', checkout) })
}

const NOTE =
  'Above 1, this checkout is better in requests/s; below 1, in processor time. The ratio is the median of the ratios, round by round.'
