import fc from 'fast-check'
import t from 'tap'
import { dollars, dollarsText, parseDollars } from '../../../src/billing/money.ts'
import { Output } from '../../../src/postal/index/output.ts'
import { ABSENT } from '../../../src/postal/text/json.ts'
import { Clients } from '../../../src/service/api/clients.ts'
import { ApiRequest } from '../../../src/service/api/request.ts'
import { BULK_THRESHOLD_BYTES } from '../../../src/service/endpoints/endpoint.ts'
import { startApp } from '../../support/app.ts'
import { post } from '../../support/post.ts'

const app = await startApp(t, undefined, { queries: 200_000 })
const { baseUrl } = app

const output = new Output()

function writtenText(write: (output: Output) => void): string {
  output.length = 0
  write(output)
  return output.bytes.toString('latin1', 0, output.length)
}

/** At most 15 digits, so that the nearest double prints the same digits. */
const micros = fc.oneof(
  fc.integer({ min: -(10 ** 15), max: 10 ** 15 }),
  fc.integer({ min: -2_000_000, max: 2_000_000 }),
  fc.integer({ min: 0, max: 10 ** 9 }).map(whole => whole * 1_000_000),
)

t.test('every answer spells a balance alike', async () => {
  fc.assert(
    fc.property(
      micros,
      value => writtenText(out => out.millionths(value)) === JSON.stringify(dollars(value)),
    ),
    { numRuns: 5000 },
  )
})

t.test('micro-dollars are written as dollars', async t => {
  t.equal(JSON.stringify(dollars(4_999_972)), '4.999972')
  t.equal(JSON.stringify(dollars(5_000_000)), '5')
  t.equal(JSON.stringify(dollars(28)), '0.000028')
  t.equal(dollarsText(27_972), '$0.0279', 'a balance is rounded down')
  t.equal(dollarsText(0), '$0.0000')
  t.equal(dollarsText(12_345_678_900), '$12345.6789')
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10 ** 14 }),
      value => parseDollars(String(dollars(value))) === value,
    ),
  )
})

const PATH = '/api/validate-bulk'
/** A well-formed key that does not exist. */
const UNKNOWN_KEY = 'pk_live_0000000000000000000000000000000hLQIq'
const MANY = 600
const RECORDS = JSON.stringify(new Array(MANY).fill({ postalCode: '90210', countryCode: 'US' }))
const MALFORMED = JSON.stringify(new Array(MANY).fill({ postalCode: 90210, countryCode: 'US' }))
const key = JSON.stringify(app.key)
const unknown = JSON.stringify(UNKNOWN_KEY)

/** Posts a large body. @returns status and error */
async function postLarge(body: string): Promise<Answer> {
  if (body.length < BULK_THRESHOLD_BYTES) throw new Error('the body is small enough to be answered at once')
  const { status, json } = await post(app.baseUrl, PATH, body)
  return [status, json.error]
}

type Answer = [status: number, error: string | undefined]
const INVALID: Answer = [401, 'Invalid API key']
const MISSING: Answer = [400, 'Missing required field: apiKey']
const ANSWERED: Answer = [200, undefined]

t.test(
  'the last key of a batch counts, at any place and in any spelling, whatever its records are',
  async t => {
    const escaped = `"\\u0070${app.key.slice(1)}"`
    const escapes = `[${'{"\\u0061":"\\u0062"},'.repeat(2000)}{}]`
    const cases: [name: string, answer: Answer, body: string][] = [
      ['a wrong key first', INVALID, `{"apiKey":${unknown},"records":${MALFORMED}}`],
      ['a wrong key last', INVALID, `{"records":${MALFORMED},"apiKey":${unknown}}`],
      ['white space', INVALID, `{\n "apiKey"\n:\t${unknown} , "records": ${MALFORMED}}`],
      ['another form', INVALID, `{"apiKey":"x","records":${MALFORMED}}`],
      ['an escaped name', INVALID, `{"api\\u004bey":${unknown},"records":${MALFORMED}}`],
      ['escapes everywhere', INVALID, `{"records":${escapes},"apiKey":${unknown}}`],
      ['many keys', INVALID, `{${`"apiKey":${unknown},`.repeat(400)}"records":${MALFORMED}}`],
      ['a wrong key at the end', INVALID, `{"apiKey":${key},"records":${RECORDS},"apiKey":${unknown}}`],
      ['no key', MISSING, `{"records":${MALFORMED}}`],
      ['an empty key', MISSING, `{"apiKey":"","records":${MALFORMED}}`],
      ['a number', MISSING, `{"apiKey":1,"records":${MALFORMED}}`],
      ['a key in a record', MISSING, `{"records":[{"apiKey":${unknown}},${MALFORMED}]}`],
      ['a key as a value', MISSING, `{"x":"apiKey","records":${MALFORMED}}`],
      ['nested deeply', MISSING, `{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`],
      ['nested deeply, a wrong key', INVALID, `{"a":[${'[],'.repeat(99_999)}[]],"apiKey":${unknown}}`],
      ['not an object', [400, 'Invalid JSON body'], `[${MALFORMED}]`],
      ['key first', ANSWERED, `{"apiKey":${key},"records":${RECORDS}}`],
      ['key last', ANSWERED, `{"records":${RECORDS},"apiKey":${key}}`],
      ['middle', ANSWERED, `{"a":1,"apiKey":${key},"b":{"apiKey":"x"},"records":${RECORDS},"c":"apiKey"}`],
      ['an escaped name', ANSWERED, `{"records":${RECORDS},"api\\u004Bey" : ${key}}`],
      ['an escaped value', ANSWERED, `{"records":${RECORDS},"apiKey":${escaped}}`],
      [
        'many',
        ANSWERED,
        `{"apiKey":${unknown},"apiKey":"y","apiKey":${key},"x":"apiKey","records":${RECORDS}}`,
      ],
      ['ends', ANSWERED, `{"x":"}]\\"","y":[[{}]],"apiKey":${key},"z":"\\\\","records":${RECORDS}}`],
    ]
    for (const [name, answer, body] of cases) t.same(await postLarge(body), answer, name)
  },
)

const ask = (name: string, body: object) => post(baseUrl, `/api/${name}`, { ...body, apiKey: app.key })
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
  const body = `{"city":"Beverly Hills","ST":"CA","\\u006cimit":1,"apiKey":${key}}`
  t.equal((await post(baseUrl, '/api/city', body)).json.total, 2, 'a name with escapes')
})

/** Parts of the thread. The connection is set before each request. */
const KEPT = ['context', 'fields', 'query', 'output', 'connection']

t.test('no field of a request survives the next, which may be another account’s', async t => {
  const { context } = app
  const request = new ApiRequest(context, new Clients())
  const names = Object.keys(request).filter(name => !KEPT.includes(name))
  for (const name of names) Object.assign(request, { [name]: `another account’s ${name}` })
  request.output.length = 7
  request.fields.kinds.fill(ABSENT + 1)
  request.begin(0)
  const fresh: Readonly<Record<string, unknown>> = { ...new ApiRequest(context, new Clients()) }
  for (const name of names) t.same({ ...request }[name], fresh[name], name)
  t.equal(request.output.length, 0)
  t.ok(request.fields.kinds.every(kind => kind === ABSENT))
})
