/**
 * Cities as people type them: the share that an index answers must not fall below what it has reached. The floors are a ratchet:
 * raise them when the share has risen. Prints the shares; TYPED_CITIES_FAILURES names a JSON file for the queries that failed. The
 * index of the world is tested when TYPED_CITIES_WORLD names one.
 */
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { openIndex } from '../../../src/index/open-index.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { type Tally, tallyNamed, tallyTyped, typedCities } from '../../support/typed-cities.ts'

const NAMED = 'city of 50,000'
const MAIN = 'its main code'
const ALL = 'all typed'

/** Percent of the queries whose code the index has. */
const FLOORS: Readonly<Record<string, readonly [kind: string, percent: number][]>> = {
  default: [
    ['main', 98],
    ['suburb', 65],
    ['municipality', 92],
    ['exonym', 96],
    ['second language', 93],
    ['abbreviation', 97],
    ['misspelling', 94],
    ['own script', 92],
    ['state', 97],
    ['must not find', 99],
    ['stranger', 98],
    [ALL, 96],
    [NAMED, 99],
    [MAIN, 99],
  ],
  world: [
    ['main', 98],
    ['suburb', 75],
    ['municipality', 89],
    ['exonym', 97],
    ['second language', 97],
    ['abbreviation', 97],
    ['misspelling', 94],
    ['own script', 92],
    ['state', 98.5],
    ['must not find', 99],
    ['stranger', 99],
    [ALL, 96.5],
    [NAMED, 99],
    [MAIN, 99],
  ],
}

const { TYPED_CITIES_WORLD, TYPED_CITIES_FAILURES } = process.env
const queries = typedCities()
const failures: Record<string, Record<string, string[]>> = {}

function percentOf({ of, found, withoutData }: Tally): number {
  return (100 * found) / Math.max(1, of - withoutData)
}

function sumOf(tallies: Iterable<Tally>): Tally {
  const sum: Tally = { of: 0, found: 0, withoutData: 0, failures: [] }
  for (const { of, found, withoutData } of tallies) {
    sum.of += of
    sum.found += found
    sum.withoutData += withoutData
  }
  return sum
}

function share(title: string, path: string): Map<string, number> {
  const index = openIndex(path)
  const typed = tallyTyped(index, queries)
  const { named, main } = tallyNamed(index)
  const tallies = [...typed, [ALL, sumOf(typed.values())], [NAMED, named], [MAIN, main]] as const
  failures[title] = Object.fromEntries(tallies.map(([kind, { failures }]) => [kind, failures]))
  for (const [kind, tally] of tallies)
    t.comment(
      `${title}: ${kind.padEnd(16)} ${percentOf(tally).toFixed(1)} % of ${tally.of - tally.withoutData}, and ` +
        `${tally.withoutData} whose code the index lacks`,
    )
  return new Map(tallies.map(([kind, tally]) => [kind, percentOf(tally)]))
}

t.ok(queries.length >= 3600, `${queries.length} queries`)
t.ok(new Set(queries.map(({ cc }) => cc)).size >= 90, 'of 90 countries')

for (const [title, path] of [
  ['default', DEFAULT_INDEX],
  ['world', TYPED_CITIES_WORLD],
] as const)
  t.test(`the ${title} index`, { skip: path === undefined }, async t => {
    const shares = share(title, path ?? '')
    for (const [kind, floor] of FLOORS[title])
      t.ok(
        (shares.get(kind) ?? 0) >= floor,
        `${kind}: ${shares.get(kind)?.toFixed(2)} of at least ${floor} percent`,
      )
  })

t.teardown(() => {
  if (TYPED_CITIES_FAILURES !== undefined)
    writeFileSync(TYPED_CITIES_FAILURES, `${JSON.stringify(failures, null, 2)}\n`)
})
