/** API.md, *Input*. */
import t from 'tap'
import { post } from '../support/post.ts'
import { openTarget } from './target.ts'

const { baseUrl, key: apiKey } = await openTarget(t)

async function isValid(zipcode: string | number, country?: string): Promise<boolean> {
  return (await post(baseUrl, '/api/validate', { apiKey, zipcode, country })).json.valid
}

async function validateRecord(postalCode: string, countryCode: string) {
  const answer = await post(baseUrl, '/api/validate-bulk', { apiKey, records: [{ postalCode, countryCode }] })
  return answer.json.results[0]
}

async function cities(body: object) {
  return (await post(baseUrl, '/api/city', { apiKey, ...body })).json
}

t.test('countries are case-insensitive, and upper-cased in bulk results', async t => {
  for (const country of ['us', 'Us', 'US']) t.ok(await isValid('90210', country), country)
  t.equal((await validateRecord('90210', 'uS')).countryCode, 'US')
})

t.test('UK means GB and EL means GR', async t => {
  for (const country of ['UK', 'uk', 'GB']) t.ok(await isValid('SW1A', country), country)
  t.match(await validateRecord('SW1A', 'uk'), { countryCode: 'UK', valid: true })
  t.equal((await post(baseUrl, '/api/validate', { apiKey, zipcode: '1', country: 'EL' })).status, 200)
})

t.test('case, spaces, hyphens and dots do not matter', async t => {
  for (const code of ['100-0001', '1000001', '100 0001', ' 1.0.0-0001 '])
    t.ok(await isValid(code, 'JP'), code)
  for (const code of ['sw1a', 'S W-1.A']) t.ok(await isValid(code, 'GB'), code)
})

t.test('pasted codes are found', async t => {
  const cases: [country: string, code: string][] = [
    ['US', '90210\u00a0'],
    ['US', '\u200b90210\r\n'],
    ['US', '90210\u20131234'],
    ['US', '９０２１０'],
    ['US', '９０２１０－１２３４'],
    ['JP', '１００−０００１'],
    ['JP', '100ー0001'],
    ['GB', 'ｓｗ１ａ\u3000１ａａ'],
    ['GB', 'SW1A\u2009\u20111AA'],
    ['PL', '\t42\u2014120'],
    ['FR', '75001 CEDEX'],
    ['FR', '75001 Cedex 08'],
    ['FR', '75001CEDEX8'],
    ['RE', '97400 cedex 9'],
  ]
  for (const [country, code] of cases) {
    const name = `${country} ${JSON.stringify(code)}`
    t.ok(await isValid(code, country), name)
    t.match(await validateRecord(code, country), { postalCode: code, valid: true, reason: null }, name)
  }
  t.match(await validateRecord('75001 CEDEX 08', 'FR'), { normalized: '75001' })
  t.match(await validateRecord('75001 CEDEX', 'FR'), { normalized: '75001' })
  for (const code of ['75001 CEDEX 123', '75001 CEDEX A', 'CEDEX 08', '75001 08']) {
    t.notOk(await isValid(code, 'FR'), code)
    t.notOk((await validateRecord(code, 'FR')).valid, code)
  }
  t.match(
    await validateRecord('90210 CEDEX 08', 'US'),
    { valid: false, reason: 'invalid_format' },
    'not in the US',
  )
})

t.test('a number is padded with zeros, and a string is not', async t => {
  const padded = await post(baseUrl, '/api/metacode', { apiKey, zipcode: 2139 })
  t.equal(padded.json.meta.zipcode, '02139')
  t.equal(await isValid('2139'), false)
  for (const number of [-2139, 21.39, 2139.5]) t.equal(await isValid(number), false, String(number))
})

t.test('ZIP+4 means its ZIP code', async t => {
  for (const code of ['90210-1234', '902101234', '90210 1234']) t.ok(await isValid(code), code)
  t.equal((await validateRecord('90210-1234', 'US')).normalized, '90210')
  t.equal(await isValid('90210-12'), false)
  t.equal(await isValid(902101234), true, 'also as a number')
})

t.test('a full code falls back to a stored short one', async t => {
  const cases = [
    ['GB', 'SW1A 1AA', 'SW1A'],
    ['CA', 'K1A 0B1', 'K1A'],
    ['IE', 'H65 AX60', 'H65'],
    ['NL', '5346 AB', '5346'],
    ['MT', 'MST 1234', 'MST'],
  ]
  for (const [country, code, normalized] of cases) {
    t.match(await validateRecord(code, country), { valid: true, normalized }, `${country} ${code}`)
  }
  t.equal((await validateRecord('SW1A 1A1', 'GB')).valid, false, 'the rest must have the right shape')
})

t.test('normalized, postalCode, zipcode and zipcodes have the written form', async t => {
  const cases = [
    ['PL', '42120', '42-120'],
    ['PT', '3850131', '3850-131'],
    ['LV', '3716', 'LV-3716'],
    ['LV', 'lv3716', 'LV-3716'],
    ['JP', '100-0001', '1000001'],
  ]
  for (const [country, zipcode, written] of cases) {
    t.equal((await validateRecord(zipcode, country)).normalized, written, `normalized ${written}`)
    const { meta } = (await post(baseUrl, '/api/metacode', { apiKey, zipcode, country })).json
    t.equal(meta.postalCode, written, `postalCode ${written}`)
  }
  const { zipcodes } = await cities({ city: 'Częstochowa', country: 'PL' })
  t.ok(zipcodes.includes('42-120'), 'zipcodes')
  t.ok(zipcodes.every((code: string) => /^\d\d-\d{3}$/.test(code)))
})

t.test('an invalid code has a reason', async t => {
  for (const code of [' ', '-.-', '12345678901', 'é', '90210!', '①']) {
    t.equal((await validateRecord(code, 'US')).reason, 'invalid_format', JSON.stringify(code))
  }
  for (const code of ['FOO99', '1', '0000000000'])
    t.equal((await validateRecord(code, 'US')).reason, 'not_found', code)
  for (const code of ['90210', '!'])
    t.equal((await validateRecord(code, 'ZZ')).reason, 'unknown_country', `ZZ ${code}`)
})

t.test('city search finds a code under each of its places', async t => {
  const { meta } = (await post(baseUrl, '/api/metacode', { apiKey, zipcode: '01400', country: 'FR' })).json
  t.type(meta.placeName, 'string')
  const towns = ['Châtillon-sur-Chalaronne', 'Sandrans', 'Sulignat']
  for (const city of towns) t.ok((await cities({ city, country: 'FR' })).zipcodes.includes('01400'), city)
})

t.test('city names match without case, accents and punctuation, and in short forms', async t => {
  const groups: [body: object, names: string[]][] = [
    [{ ST: 'MO' }, ['Saint Louis', 'St. Louis', 'ST LOUIS', 'st-louis']],
    [{ ST: 'NY' }, ['Mount Vernon', 'Mt. Vernon', 'mt vernon']],
    [{ ST: 'TX' }, ['Fort Worth', 'Ft Worth']],
    [{ country: 'PL' }, ['Częstochowa', 'Czestochowa', 'CZĘSTOCHOWA']],
  ]
  for (const [body, names] of groups) {
    const answers = await Promise.all(names.map(city => cities({ ...body, city })))
    t.ok(answers[0].zipcodes.length > 0, names[0])
    for (const answer of answers) {
      t.same(answer.zipcodes, answers[0].zipcodes)
      t.notOk('matchedCity' in answer, 'is exact')
    }
  }
})

t.test('a close match stays in the state, and an exact match in the state wins', async t => {
  const close = await cities({ city: 'Springfeild', ST: 'IL' })
  t.match(close, { matchedCity: 'Springfield', matchedState: 'Illinois', matchedST: 'IL' })
  t.ok(
    close.zipcodes.every((code: string) => code.startsWith('62')),
    'all in Illinois',
  )
  const exact = await cities({ city: 'Springfield', ST: 'IL' })
  t.same(exact.zipcodes, close.zipcodes)
  t.notOk('matchedCity' in exact)
})

t.test('a similar name does not stand for a larger place of another country', async t => {
  for (const [city, country] of [
    ['Paris', 'IT'],
    ['London', 'AU'],
    ['Berlin', 'FR'],
  ])
    t.equal((await cities({ city, country })).zipcodes, undefined, `${city} in ${country}`)
})

t.test('matchedState and matchedST are the level-1 area outside the US', async t => {
  const answer = await cities({ city: 'Czestochowwa', country: 'PL' })
  t.match(answer, { matchedCity: 'Częstochowa', matchedState: 'Śląskie', matchedST: '24' })
})

t.test('state and ST accept names and codes in every country', async t => {
  const us = (await cities({ city: 'Springfield', ST: 'IL' })).zipcodes
  for (const filter of [{ ST: 'Illinois' }, { state: 'IL' }, { state: 'il', ST: 'illinois' }])
    t.same((await cities({ city: 'Springfield', ...filter })).zipcodes, us, JSON.stringify(filter))
  t.equal((await cities({ city: 'Springfield', state: 'CA' })).zipcodes, undefined)
  const india = { city: 'Gangapalem', country: 'IN' }
  for (const filter of [
    { ST: 'Andhra Pradesh' },
    { state: 'Markapur' },
    { state: '549' },
    { state: '549', ST: 'prakasam' },
  ]) {
    const { zipcodes } = await cities({ ...india, ...filter })
    t.ok(zipcodes?.includes('523327'), JSON.stringify(filter))
  }
})

t.test('state and ST are both filters', async t => {
  t.ok((await cities({ city: 'Springfield', state: 'Illinois', ST: 'IL' })).zipcodes)
  t.equal((await cities({ city: 'Springfield', state: 'Illinois', ST: 'MA' })).zipcodes, undefined)
})

t.test('a county of the US is an area as well, unless a state has the same name', async t => {
  t.ok((await cities({ city: 'Beverly Hills', state: 'Los Angeles' })).zipcodes?.includes('90210'))
  const { zipcodes = [] } = await cities({ city: 'Portland', state: 'Washington' })
  t.notOk(zipcodes.includes('97223'), 'Washington County in Oregon has this code of Portland')
})

t.test('zipcodes is ascending and has no duplicates', async t => {
  for (const body of [
    { city: 'Houston', ST: 'TX' },
    { city: 'Berlin', country: 'DE' },
  ]) {
    const { zipcodes } = await cities(body)
    t.ok(zipcodes.length > 50)
    t.same(zipcodes, [...new Set(zipcodes)].sort())
  }
})
