import t from 'tap'
import { startApp } from '../../support/app.ts'
import { post } from '../../support/post.ts'

const { baseUrl, key } = await startApp(t)
const ask = (name: string, body: object) => post(baseUrl, `/api/${name}`, { ...body, apiKey: key })
const names = (list: { postalCode: string }[]) => list.map(({ postalCode }) => postalCode)

t.test('nearest takes a point or a code, a radius, a limit and a country', async t => {
  const point = { latitude: 34.0901, longitude: -118.4065 }
  const { json } = await ask('nearest', { ...point, limit: 3 })
  t.same(names(json.results), ['90210', '90211', '37000'])
  t.same(json.results[0], {
    postalCode: '90210',
    country: 'US',
    placeName: 'Beverly Hills',
    ...point,
    distance: 0,
  })
  t.equal(json.results[1].distance, 3.514)
  t.same(names((await ask('nearest', { ...point, radius: 3.5 })).json.results), ['90210'])
  t.same(names((await ask('nearest', { ...point, radius: 3.52 })).json.results), ['90210', '90211'])
  t.same((await ask('nearest', { latitude: 0, longitude: 0, radius: 1 })).json.results, [], 'nothing is near')
  t.same(names((await ask('nearest', { ...point, country: 'ca' })).json.results), ['K1A'])
  t.same((await ask('nearest', { ...point, country: 'NF' })).json.results, [], 'a country without data')
  const around = await ask('nearest', { zipcode: 90_211, limit: 2 })
  t.same(names(around.json.results), ['90211', '90210'], 'the code itself, then the next')
  t.match(await ask('nearest', { zipcode: '99999' }), { status: 404, json: { error: 'ZIP code not found' } })
  t.match(await ask('nearest', { zipcode: '00-001', country: 'PL' }), {
    status: 404,
    json: { error: 'The position of this ZIP code is not known' },
  })
})

t.test('distance takes two codes with their countries', async t => {
  const { json } = await ask('distance', { from: 90_210, to: '90211-1234' })
  t.match(json, { kilometres: 3.514, miles: 2.183 })
  const abroad = { from: '80331', fromCountry: 'de', to: 'SW1A 1AA', toCountry: 'UK' }
  const there = (await ask('distance', abroad)).json
  const back = { from: abroad.to, fromCountry: 'GB', to: abroad.from, toCountry: 'DE' }
  t.equal((await ask('distance', back)).json.kilometres, there.kilometres)
  t.equal((await ask('distance', { from: '90210', to: '90210' })).json.kilometres, 0)
  const cases: [object, number, string][] = [
    [{ to: '90210' }, 400, 'Missing required field: from'],
    [{ from: '90210', to: '' }, 400, 'Missing required field: to'],
    [{ from: '90210', to: true }, 400, 'Missing required field: to'],
    [{ from: '1', fromCountry: 'USA', to: '1' }, 400, "Invalid 'fromCountry'"],
    [{ from: '90210', to: '80331' }, 404, 'ZIP code not found'],
    [{ from: '1', fromCountry: 'NF', to: '90210' }, 404, 'ZIP code not found'],
    [{ from: '90210', to: '00001', toCountry: 'PL' }, 404, 'The position of this ZIP code is not known'],
  ]
  for (const [body, status, error] of cases)
    t.match(await ask('distance', body), { status, json: { error } }, JSON.stringify(body))
})

t.test('nearest refuses malformed input', async t => {
  const cases: [object, string][] = [
    [{}, 'Give either zipcode, or latitude and longitude'],
    [{ zipcode: '90210', latitude: 1, longitude: 1 }, 'Give either zipcode, or latitude and longitude'],
    [{ zipcode: true }, 'Missing required field: zipcode'],
    [{ latitude: 1 }, "Invalid 'longitude'"],
    [{ longitude: 1 }, "Invalid 'latitude'"],
    [{ latitude: 90.1, longitude: 0 }, "Invalid 'latitude'"],
    [{ latitude: '1', longitude: 0 }, "Invalid 'latitude'"],
    [{ latitude: 0, longitude: -180.5 }, "Invalid 'longitude'"],
    [{ zipcode: '90210', radius: -1 }, "Invalid 'radius'"],
    [{ zipcode: '90210', radius: 20_041 }, "Invalid 'radius'"],
    [{ zipcode: '90210', limit: 0 }, "Invalid 'limit'"],
    [{ zipcode: '90210', limit: 101 }, "Invalid 'limit'"],
    [{ zipcode: '90210', limit: 1.5 }, "Invalid 'limit'"],
    [{ zipcode: '90210', limit: [] }, "Invalid 'limit'"],
  ]
  for (const [body, error] of cases)
    t.match(await ask('nearest', body), { status: 400, json: { error } }, JSON.stringify(body))
  const empty = { zipcode: '', country: null, radius: null, limit: null, latitude: 34, longitude: -118 }
  t.equal((await ask('nearest', empty)).status, 200, 'null and "" count as absent')
})

t.test('autocomplete suggests exact names first, then larger places', async t => {
  const { json } = await ask('autocomplete', { query: '627' })
  t.same(names(json.codes), ['62701', '62702'])
  t.same(json.places, [])
  const spring = (await ask('autocomplete', { query: 'SPRING' })).json
  t.same(spring.places, [
    {
      placeName: 'Springfield',
      codes: 3,
      areas: [
        { name: 'Illinois', code: 'IL' },
        { name: 'Massachusetts', code: 'MA' },
      ],
    },
  ])
  t.same((await ask('autocomplete', { query: 'st. l' })).json.places[0].placeName, 'Saint Louis')
  t.same((await ask('autocomplete', { query: 'sai' })).json.places[0].placeName, 'Saint Louis')
  const massachusetts = { ...spring.places[0], areas: spring.places[0].areas.toReversed() }
  for (const body of [{ query: 'spring', state: 'MA' }, { query: 'springfield, ma' }])
    t.same((await ask('autocomplete', body)).json.places, [massachusetts], JSON.stringify(body))
  const sw1a = await ask('autocomplete', { query: 'sw1a 1', country: 'GB' })
  t.same(names(sw1a.json.codes), ['SW1A'], 'a code with an unknown end')
  t.same((await ask('autocomplete', { query: 'sw1a a', country: 'GB' })).json.codes, [])
  t.same((await ask('autocomplete', { query: 's', limit: 1 })).json.places.length, 1)
  t.same((await ask('autocomplete', { query: '…' })).json.places, [])
  t.same((await ask('autocomplete', { query: 'x'.repeat(200) })).json.places, [], 'longer than any name')
  t.same((await ask('autocomplete', { query: 'a', country: 'NF' })).json.codes, [], 'a country without data')
  t.match((await ask('autocomplete', { query: '' })).json, { error: 'Missing required field: query' })
  t.match((await ask('autocomplete', { query: 5 })).json, { error: 'Missing required field: query' })
  t.match((await ask('autocomplete', { query: 'a', limit: 51 })).json, { error: "Invalid 'limit'" })
})

t.test('countries and format describe the codes of a country', async t => {
  const { countries } = (await ask('countries', {})).json
  t.ok(countries.length > 5)
  const us = (await ask('countries', { country: 'us' })).json.countries
  t.match(us, [{ country: 'US', name: 'United States', codes: 7, completeness: 'full', withPosition: 7 }])
  t.same(
    us[0],
    countries.find(({ country }: { country: string }) => country === 'US'),
  )
  t.match(await ask('countries', { country: 'NF' }), {
    status: 404,
    json: { error: 'No ZIP codes of this country are known' },
  })
  const pl = (await ask('format', { country: 'PL', zipcode: 1 })).json
  t.match(pl, { country: 'PL', valid: true, normalized: '00-001' })
  t.same(pl.formats, [{ format: 'NN-NNN', example: '00-001', pattern: '^[0-9]{2}-[0-9]{3}$' }])
  const gb = (await ask('format', { country: 'UK' })).json
  t.notOk('valid' in gb)
  for (const { example, pattern } of gb.formats) t.match(example, new RegExp(pattern, 'u'))
  t.match((await ask('format', { zipcode: 'FOO99' })).json, { valid: false, normalized: null })
})

t.test('city returns a part of a long list', async t => {
  const page = async (fields: object) =>
    (await ask('city', { city: 'Beverly Hills', ST: 'CA', ...fields })).json
  t.notOk('total' in (await page({})), 'without limit and offset the answer is complete')
  t.match(await page({ limit: 1 }), { zipcodes: ['90210'], total: 2 })
  t.match(await page({ limit: 1, offset: 1 }), { zipcodes: ['90211'], total: 2 })
  t.match(await page({ offset: 5 }), { zipcodes: [], total: 2 })
  t.match(await page({ limit: 0 }), { error: "Invalid 'limit'" })
  t.match(await page({ offset: -1 }), { error: "Invalid 'offset'" })
  const body = `{"city":"Beverly Hills","ST":"CA","\\u006cimit":1,"apiKey":"${key}"}`
  t.equal((await post(baseUrl, '/api/city', body)).json.total, 2, 'a name with escapes')
})
