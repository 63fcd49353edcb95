import fc from 'fast-check'
import t from 'tap'
import { BuildReport } from '../../build-index/build-report.ts'
import type { CountryModel } from '../../build-index/model.ts'
import { row } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'
import { countryModels, type ModelOptions } from '../support/models.ts'
import { sourceOf } from '../support/sources.ts'

async function models(options: ModelOptions): Promise<Map<string, CountryModel>> {
  const found = new Map<string, CountryModel>()
  for await (const model of countryModels(options)) found.set(model.country, model)
  return found
}

const LATITUDES = [1, 1.01]

/** Rows of Bouvet Island, which the gazetteer lacks, so nothing is enriched. Its codes have four digits. */
const rows = (maxLength: number) =>
  fc.array(
    fc.record({
      code: fc.integer({ min: 1000, max: 1009 }).map(String),
      place: fc.constantFrom('', 'A', 'B', 'C'),
      name1: fc.constantFrom('', 'North'),
      // Positions near each other do not contradict their neighbours.
      lat: fc.constantFrom(Number.NaN, ...LATITUDES),
      elevation: fc.constantFrom(Number.NaN, 5, 6),
      timezone: fc.constantFrom('', 'Etc/UTC', 'Etc/GMT-1'),
    }),
    { maxLength },
  )

function oracle(
  sources: Row[][],
  key: string,
): { places: string[]; elevation: number; timezone: string; lat: number } | undefined {
  const best = sources.findIndex(rows => rows.length > 0)
  const own = (sources[best] ?? []).filter(({ code }) => code === key)
  if (own.length === 0) return undefined
  const all = sources.flatMap((rows, i) =>
    i === best ? own : i > best ? rows.filter(({ code }) => code === key) : [],
  )
  const weaker = all.slice(own.length)
  let names = [...new Set(own.map(({ place }) => place))]
  const named = weaker.find(({ place }) => place !== '')
  if (names.includes('') && named !== undefined) names = [...new Set(names.map(name => name || named.place))]
  return {
    places: names.sort(),
    elevation: all.find(({ elevation }) => !Number.isNaN(elevation))?.elevation ?? Number.NaN,
    timezone: all.find(({ timezone }) => timezone !== '')?.timezone ?? '',
    lat: latitude(own, weaker),
  }
}

/** Returns the value of the first named place. Each place keeps its first row. A weaker source fills only an empty value. */
function latitude(own: readonly Row[], weaker: readonly Row[]): number {
  const spots = new Map<string, number>()
  for (const { place, lat } of own) if (!spots.has(place)) spots.set(place, lat)
  const [first] = own
  const found = weaker.find(({ lat }) => !Number.isNaN(lat))
  if (found !== undefined && [...spots.values()].every(Number.isNaN)) spots.set(first.place, found.lat)
  const isNamed = weaker.some(({ place }) => place !== '')
  const primary = [...spots.keys()].find(place => place !== '' || isNamed) ?? first.place
  return spots.get(primary) ?? Number.NaN
}

/** True if a neighbour-based latitude is missing or lies between the known ones. */
function isBetween(lat: number): boolean {
  return Number.isNaN(lat) || (lat >= Math.min(...LATITUDES) && lat <= Math.max(...LATITUDES))
}

t.test('the best source gives the codes, and weaker ones fill empty fields', async () => {
  await fc.assert(
    fc.asyncProperty(rows(20), rows(20), rows(20), async (...drawn) => {
      // Rows with contradicting areas are different places, so these rows have no areas.
      const given = drawn.map(rows =>
        rows.map(({ code, place, lat, elevation, timezone }) =>
          row('BV', code, place, { lat, lon: lat, timezone, elevation }),
        ),
      )
      const sources = given.map((rows, i) => sourceOf(`s${i}`, rows))
      const model = (await models({ sources })).get('BV')
      const keys = new Set(given.flat().map(({ code }) => code))
      for (const key of keys) {
        const expected = oracle(given, key)
        const found = model?.codes.find(code => code.key === key)
        if ((expected === undefined) !== (found === undefined)) return false
        if (expected === undefined || found === undefined) continue
        const names = found.places.map(({ name }) => name).sort()
        // A code without a name gets the name of another code.
        if (!expected.places.includes('') && JSON.stringify(names) !== JSON.stringify(expected.places))
          return false
        if (!Object.is(found.elevation, expected.elevation)) return false
        if (expected.timezone !== '' && found.timezone !== expected.timezone) return false
        if (Number.isNaN(expected.lat) ? !isBetween(found.lat) : found.lat !== expected.lat) return false
      }
      return true
    }),
    { numRuns: 40, seed: 7 },
  )
})

t.test('a second source may add codes, and a source may be left out', async t => {
  const sources = [
    sourceOf('best', [row('BV', '1000', 'A')]),
    sourceOf('more', [row('BV', '1001', 'B'), row('BV', '1000', 'Other')], { addsCodes: ['BV'] }),
    sourceOf('weak', [row('BV', '1002', 'C')]),
  ]
  const keys = async (options: ModelOptions) => (await models(options)).get('BV')?.codes.map(({ key }) => key)
  t.same(await keys({ sources }), ['1000', '1001'])
  t.same(await keys({ sources: sources.slice(1) }), ['1000', '1001'])
  t.same(await keys({ sources: sources.slice(2) }), ['1002'])
  t.same((await models({ sources })).get('BV')?.sources, ['best', 'more', 'weak'])
  t.equal((await models({ sources, countries: ['US'] })).size, 0)
})

t.test('a territory is found in the country of its post and has no county', async t => {
  const guam = row('GU', '96910', 'Hagatna', { name1: 'Guam', code1: 'GU' })
  const sources = [sourceOf('us', [row('US', '96960', 'Majuro'), guam])]
  const found = await models({ sources, countries: ['US', 'MH'] })
  const [hagatna] = found.get('US')?.codes.filter(({ key }) => key === '96910') ?? []
  t.match(hagatna.places[0].admin, { name1: 'Guam', code1: 'GU', name2: '' })
  t.match(found.get('MH')?.codes, [{ key: '96960' }])
})

t.test('rows without a postal code are counted, and too many fail the build', async t => {
  const good = Array.from({ length: 200 }, (_, i) => row('BV', String(1000 + i), 'A'))
  const report = new BuildReport([])
  const skipped = { source: 's', reason: 'BV: no postal code: "n/a"' }
  await models({ sources: [sourceOf('s', [...good, row('BV', 'n/a', 'A'), row('BV', 'n/a', 'B')])], report })
  t.same(report.skipped, [skipped, skipped], 'each row counts')
  t.match(report.countries[0], { country: 'BV', rows: 200, codes: 200, places: 200 })
  const bad = Array.from({ length: 101 }, (_, i) => row('BV', `n/a ${i}`, 'A'))
  await t.rejects(models({ sources: [sourceOf('s', [...good, ...bad])] }), /s: 101 bad rows/)
  const both = new BuildReport([])
  await models({ sources: [sourceOf('s', [row('FR', 'n/a', 'A'), row('RE', 'n/a', 'A')])], report: both })
  t.equal(both.skippedCount, 2, 'a country that belongs to the post of another is read for both')
})
