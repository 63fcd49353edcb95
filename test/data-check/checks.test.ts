/** The checks find what is wrong in codes made for them, and nothing else. */
import t from 'tap'
import { citiesOf } from '../../datasets/reference/cities-500.ts'
import { row as rowOf } from '../../datasets/row.ts'
import type { Row } from '../../datasets/source.ts'
import type { Country } from '../../src/index/country.ts'
import type { PostalIndex } from '../../src/index/postal-index.ts'
import { sourceOf } from '../support/sources.ts'
import type { Check } from './check.ts'
import type { CheckedCode, CheckedCountry } from './codes.ts'
import { farFromLevel2, farFromNeighbours, inOtherCountry, outsideOwnArea } from './positions.ts'
import { against } from './witnesses.ts'
import { foreignZone, retiredZone, wrongHour } from './zones.ts'

const MONTERREY = { lat: 25.67, lon: -100.31 }
const GUADALAJARA = { lat: 20.67, lon: -103.35 }
const NUEVO_LEON = { area1: 'Nuevo León', code1: 'NLE', area2: 'Nuevo León / Monterrey' }

/** Ten codes of Monterrey, in steps of a hundredth of a degree. */
const codes = (change: Partial<CheckedCode> = {}): CheckedCode[] =>
  Array.from({ length: 10 }, (_, i) => ({
    key: String(64000 + i),
    lat: MONTERREY.lat + i / 100,
    lon: MONTERREY.lon,
    timezone: 'America/Monterrey',
    city: 'Monterrey',
    ...NUEVO_LEON,
    ...(i === 5 ? change : {}),
  }))

/** The checks of positions and zones need no index. */
function countryOf(codes: CheckedCode[]): CheckedCountry {
  const none = {} as { index: PostalIndex; country: Country }
  return { ...none, cc: 'MX', codes, placed: codes, cities: citiesOf('MX') }
}

const bad = (check: Check, change?: Partial<CheckedCode>) => check.run(countryOf(codes(change))).bad

t.test('positions', t => {
  const checks = [inOtherCountry, outsideOwnArea, farFromLevel2, farFromNeighbours]
  for (const check of checks) t.equal(bad(check), 0, check.name)
  for (const check of [outsideOwnArea, farFromLevel2, farFromNeighbours])
    t.equal(bad(check, GUADALAJARA), 1, `${check.name}: Guadalajara`)
  t.equal(bad(inOtherCountry, GUADALAJARA), 0)
  t.equal(bad(inOtherCountry, { lat: 32.8, lon: -96.8 }), 1, 'Dallas')
  t.end()
})

t.test('where a witness contradicts the index, a third one decides', t => {
  const own = codes()
  const row = (i: number, at: { lat: number; lon: number }) => rowOf('MX', own[i].key, 'x', at)
  const near = own.map((code, i) => row(i, { lat: code.lat + 0.05, lon: code.lon }))
  const differing = (i: number, at: { lat: number; lon: number }, third: readonly Row[] = []) => {
    const witness = sourceOf('witness', near.with(i, row(i, at)))
    const check = against(
      witness,
      ['giver'],
      ['giver', 'copy'],
      [sourceOf('third', third), sourceOf('copy', third)],
    )
    // The name of its own city would decide as well.
    const country = countryOf(own.map(code => ({ ...code, city: '' })))
    return check.run({ ...country, country: { meta: { sources: [0] } } as unknown as Country })
  }
  t.match(differing(5, MONTERREY), { of: 10, bad: 0 })
  t.match(
    differing(5, GUADALAJARA),
    { bad: 1, adjudged: { index: 1, witness: 0, open: 0 } },
    'by its neighbours',
  )
  t.match(
    differing(5, GUADALAJARA, [row(5, GUADALAJARA)]),
    { adjudged: { index: 0, witness: 1 } },
    'by another source, which goes before',
  )
  const apart = { lat: 0, lon: 0 }
  t.match(differing(5, GUADALAJARA, [row(5, apart)]), { adjudged: { index: 1 } }, 'which may be for neither')
  t.end()
})

t.test('time zones', t => {
  for (const check of [wrongHour, foreignZone, retiredZone]) t.equal(bad(check), 0, check.name)
  t.equal(bad(wrongHour, { timezone: 'America/Tijuana' }), 1)
  t.equal(bad(wrongHour, { timezone: 'America/Mexico_City' }), 0, 'another name of the same hours')
  t.equal(bad(foreignZone, { timezone: 'America/New_York' }), 1)
  t.equal(bad(retiredZone, { timezone: 'America/Shiprock' }), 1)
  t.end()
})
