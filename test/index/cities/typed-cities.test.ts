/**
 * Cities as people type them. Prints the share that the default index answers, and that of the index of the world that
 * TYPED_CITIES_WORLD names; TYPED_CITIES_FAILURES names a file for those that failed.
 */
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { openIndex } from '../../../src/index/open-index.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { type Tally, tallyNamed, tallyTyped, typedCities } from '../../support/typed-cities.ts'

const queries = typedCities()
const failures: Record<string, Record<string, string[]>> = {}

function percent({ of, found, withoutData }: Tally): number {
  return (100 * found) / Math.max(1, of - withoutData)
}

function report(title: string, path: string) {
  const index = openIndex(path)
  const tallies = new Map([...tallyTyped(index, queries), ['city of 50,000', tallyNamed(index)]])
  failures[title] = {}
  for (const [kind, tally] of tallies) {
    t.comment(
      `${title}: ${kind.padEnd(16)} ${percent(tally).toFixed(1)} % of ${tally.of - tally.withoutData}, ${tally.withoutData} without data`,
    )
    failures[title][kind] = tally.failures
  }
  const typed = [...tallies].filter(([kind]) => kind !== 'city of 50,000')
  const sum = (field: 'of' | 'found' | 'withoutData') =>
    typed.reduce((all, [, tally]) => all + tally[field], 0)
  const all = { of: sum('of'), found: sum('found'), withoutData: sum('withoutData'), failures: [] }
  t.comment(
    `${title}: all typed ${percent(all).toFixed(1)} % of ${all.of - all.withoutData}; ${((100 * all.found) / all.of).toFixed(1)} % of all ${all.of}`,
  )
}

t.test('the default index', async () => {
  report('default', DEFAULT_INDEX)
})

const { TYPED_CITIES_WORLD, TYPED_CITIES_FAILURES } = process.env
t.test('the index of the world', { skip: TYPED_CITIES_WORLD === undefined }, async () => {
  report('world', TYPED_CITIES_WORLD ?? '')
})

t.teardown(() => {
  if (TYPED_CITIES_FAILURES !== undefined)
    writeFileSync(TYPED_CITIES_FAILURES, JSON.stringify(failures, null, 1))
})
