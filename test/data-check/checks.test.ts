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
import { farFromLevel2, farFromNeighbours, inOtherCountry, outsideLevel1 } from './positions.ts'
import { against } from './witnesses.ts'
import { foreignZone, retiredZone, wrongHour } from './zones.ts'

const MONTERREY = { lat: 25.67, lon: -100.31 }
const GUADALAJARA = { lat: 20.67, lon: -103.35 }
const NUEVO_LEON = { area1: 'Nuevo León', code1: 'NLE', area2: 'Nuevo León / Monterrey', area3: '' }

/** Ten codes of Monterrey, in steps of a hundredth of a degree. */
const codes = (change: Partial<CheckedCode> = {}): CheckedCode[] =>
  Array.from({ length: 10 }, (_, i) => ({
    key: String(64000 + i),
    lat: MONTERREY.lat + i / 100,
    lon: MONTERREY.lon,
    timezone: 'America/Monterrey',
    elevation: 540,
    city: 'Monterrey',
    grade: 'place',
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
  const checks = [inOtherCountry, outsideLevel1, farFromLevel2, farFromNeighbours]
  for (const check of checks) t.equal(bad(check), 0, check.name)
  for (const check of [outsideLevel1, farFromLevel2, farFromNeighbours])
    t.equal(bad(check, GUADALAJARA), 1, `${check.name}: Guadalajara`)
  t.equal(bad(inOtherCountry, GUADALAJARA), 0)
  t.equal(bad(inOtherCountry, { lat: 32.8, lon: -96.8 }), 1, 'Dallas')
  t.end()
})

t.test('where a witness contradicts the index, a third one decides', t => {
  const row = (key: string, at: { lat: number; lon: number }) => rowOf('MX', key, 'x', at)
  /** What is said of the sixth code where the index or the witness has it elsewhere, and a third source has `third`. */
  const differing = (
    own: Partial<CheckedCode>,
    witness: { lat: number; lon: number },
    third: readonly Row[] = [],
    city = '',
  ) => {
    // The name of its own city would decide as well.
    const all = codes().map((code, i) => ({ ...code, city, ...(i === 5 ? own : {}) }))
    const near = codes().map(({ key, lat, lon }, i) => row(key, i === 5 ? witness : { lat: lat + 0.05, lon }))
    const check = against(
      sourceOf('witness', near),
      ['giver'],
      ['giver', 'copy'],
      [sourceOf('third', third), sourceOf('copy', third)],
    )
    const { of, bad, adjudged } = check.run({
      ...countryOf(all),
      country: { meta: { sources: [0] } } as unknown as Country,
    })
    const { index, witness: other, open } = adjudged?.grades.get('place') ?? {}
    return { of, bad, index, witness: other, open, rules: [...(adjudged?.rules.keys() ?? [])] }
  }
  const apart = { lat: 0, lon: 0 }
  t.match(
    differing(MONTERREY, MONTERREY),
    { of: 9, bad: 0 },
    'a position that was taken from it does not count',
  )
  const byNeighbours = { bad: 1, open: 0, rules: ['neighbours'] }
  t.match(differing(MONTERREY, GUADALAJARA), { ...byNeighbours, index: 1, witness: 0 })
  t.match(
    differing(GUADALAJARA, MONTERREY),
    { ...byNeighbours, index: 0, witness: 1 },
    'the same rule for both',
  )
  t.match(differing(GUADALAJARA, apart), { bad: 1, open: 1, rules: ['nobody'] }, 'both contradict themselves')
  t.match(
    differing(MONTERREY, GUADALAJARA, [row('64005', GUADALAJARA)]),
    { index: 0, witness: 1, rules: ['source'] },
    'another source goes before',
  )
  t.match(differing(MONTERREY, GUADALAJARA, [row('64005', apart)]), { index: 1 }, 'which may be for neither')
  const [city] = citiesOf('MX').filter(({ name }) => name === 'Guadalajara')
  t.match(
    differing(city, apart, [], 'Guadalajara'),
    { bad: 1, open: 1, rules: ['nobody'] },
    'the gazetteer is no witness for a position that came from it',
  )
  // Both are far from what the codes next to it say, so the municipality decides.
  const [tepoztlan] = citiesOf('MX').filter(({ name }) => name === 'Tepoztlán')
  const near = { lat: tepoztlan.lat + 0.1, lon: tepoztlan.lon }
  const area2 = 'Morelos / Tepoztlán'
  const byMunicipality = { bad: 1, open: 0, rules: ['municipality'] }
  t.match(differing({ ...near, area2 }, apart), { ...byMunicipality, index: 1 })
  t.match(differing({ ...apart, area2 }, near), { ...byMunicipality, witness: 1 })
  t.match(differing({ ...apart, area2: 'Morelos / Nowhere' }, near), { open: 1, rules: ['nobody'] })
  t.end()
})

t.test(
  'areas and registers decide as well, and a municipality may be larger than two points are apart',
  t => {
    /** In the municipality next to Monterrey, 35 km away: too near for the codes around to say anything. */
    const [cadereyta] = citiesOf('MX').filter(({ name }) => name === 'Cadereyta Jiménez')
    const judged = (own: Partial<CheckedCode>, witness: Partial<Row>, registered: string[] = []) => {
      const { area2 = NUEVO_LEON.area2 } = own
      const all = codes().map((code, i) => ({ ...code, area2, city: '', ...(i === 5 ? own : {}) }))
      const rows = codes().map(({ key, lat, lon }, i) =>
        rowOf(
          'MX',
          key,
          i === 5 ? (witness.place ?? '') : '',
          i === 5 ? { ...MONTERREY, ...witness } : { lat, lon },
        ),
      )
      const register = sourceOf(
        'register',
        registered.map(name => rowOf('MX', '64005', name)),
      )
      const { adjudged } = against(sourceOf('witness', rows), ['giver'], [], [], [register]).run({
        ...countryOf(all),
        country: { meta: { sources: [0] } } as unknown as Country,
      })
      const [[rule, verdicts] = []] = adjudged?.rules ?? []
      const [verdict] = Object.entries(verdicts ?? {}).find(([, count]) => count > 0) ?? []
      return `${verdict} by ${rule}`
    }
    const unknown = { area2: 'Nuevo León / Nowhere' }
    const { lat, lon } = cadereyta
    t.equal(judged({ ...MONTERREY }, { lat, lon }), 'index by area')
    t.equal(judged({ lat, lon }, {}), 'witness by area', 'the same rule for both')
    t.equal(judged({ ...MONTERREY, ...unknown }, { lat, lon }), 'extent by reach')
    t.equal(
      judged({ ...MONTERREY, ...unknown, grade: 'code' }, { lat, lon }),
      'open by nobody',
      "what says that it is the code's own point must be near",
    )
    const named = { ...MONTERREY, ...unknown, city: 'Guadalupe Nuevo' }
    const other = { lat, lon, place: 'Cadereyta Jiménez' }
    t.equal(judged(named, other, ['Guadalupe Nuevo']), 'index by area', 'by the name in a register')
    t.equal(judged(named, { ...other, place: 'Guadalupe Nuevo' }, ['Guadalupe Nuevo']), 'extent by reach')
    t.end()
  },
)

t.test('time zones', t => {
  for (const check of [wrongHour, foreignZone, retiredZone]) t.equal(bad(check), 0, check.name)
  t.equal(bad(wrongHour, { timezone: 'America/Tijuana' }), 1)
  t.equal(bad(wrongHour, { timezone: 'America/Mexico_City' }), 0, 'another name of the same hours')
  t.equal(bad(foreignZone, { timezone: 'America/New_York' }), 1)
  t.equal(bad(retiredZone, { timezone: 'America/Shiprock' }), 1)
  t.end()
})
