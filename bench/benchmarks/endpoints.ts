/** Measures the records per second of nine endpoints against lookup. */

import { type Benchmark, type Goal, measuresOf, type Options, type Result } from '../benchmark.ts'
import { type LoadName, writeBodies } from '../input/bodies.ts'
import { openWorld, worldFile } from '../input/worlds.ts'
import { inTurn, ratioOf } from '../measure.ts'
import { startService } from '../service.ts'
import { load, REQUESTS } from '../wrk.ts'

const RECORDS = 'records/s'
const WANTED: Partial<Record<LoadName, Goal>> = { nearest: { atLeast: 0.25 }, autocomplete: { atLeast: 0.3 } }

export const endpoints: Benchmark = {
  name: 'endpoints',
  text: 'records/s of nine endpoints against lookup',
  needsPackages: false,
  run: runEndpoints,
}

async function runEndpoints({ quick, log }: Options): Promise<Result> {
  const bodies = writeBodies(openWorld())
  const names = Object.keys(bodies) as LoadName[]
  const server = await startService({ indexFile: worldFile('world') })
  const loadOf = (name: LoadName) => async () => {
    const taken = await load(server, bodies[name], quick ? 1 : 3)
    return { ...taken, [RECORDS]: taken[REQUESTS] * bodies[name].records }
  }
  log(`${names.length} loads in turn`)
  const contenders = Object.fromEntries(names.map(name => [name, loadOf(name)]))
  const taken = await inTurn(contenders, quick ? 1 : 5).finally(server.end)
  return {
    measures: measuresOf('one server thread', taken),
    findings: names
      .filter(name => name !== 'lookup')
      .map(name => ({
        text: `${name}: records/s against lookup`,
        value: ratioOf(taken[name][RECORDS], taken.lookup[RECORDS]),
        wanted: WANTED[name],
      })),
    notes: ['Points and names are drawn from the whole world; nearest and autocomplete answer ten results.'],
  }
}
