/** The library answers what the API answers, and takes what callers may pass. */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { sampleCities, sampleCodes } from '../../bench/input/samples.ts'
import { openIndex as openMapped } from '../../src/index/open-index.ts'
import { IndexFileError, openIndex } from '../../src/library/main.ts'
import { startApp } from '../support/app.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { post } from '../support/post.ts'

const SAMPLES = 150
const SEED = 7

/** Texts as clients send them, many of which are not codes. */
const ODD_CODES: readonly (readonly [code: string | number, country: string])[] = [
  ['90210-1234', 'US'],
  [' 9 0 2 1 0 ', 'us'],
  [2139, 'US'],
  ['2139', 'US'],
  [10115, 'de'],
  [-90210, 'US'],
  [902.1, 'US'],
  [1e21, 'US'],
  ['SW1A 1AA', 'uk'],
  ['ｓｗ１ａ　１ａａ', 'GB'],
  ['75001 CEDEX 08', 'FR'],
  ['75001 cedex', 'DE'],
  ['100‑0001', 'JP'],
  ['FOO99', 'US'],
  ['12345678901', 'US'],
  ['90210', 'ZZ'],
  ['90210', 'AQ'],
  ['é', 'US'],
  ['-', 'US'],
  ['\ud800', 'US'],
  ['9'.repeat(500), 'US'],
]

t.test('answers equal those of the API', async t => {
  const index = openMapped(DEFAULT_INDEX)
  const { baseUrl, key, accounts } = await startApp(t, undefined, { index })
  const [account] = accounts.listAccounts()
  await accounts.credit({ account: account.id, micros: 5_000_000, kind: 'test', reference: 'test' })
  const codes = openIndex(DEFAULT_INDEX)
  const asked = [
    ...sampleCodes(codes, SAMPLES, SEED).map(({ text, country }) => [text, country] as const),
    ...ODD_CODES,
  ]
  for (const [zipcode, country] of asked) {
    const of = `${zipcode} in ${country}`
    const body = { apiKey: key, zipcode, country }
    const lookup = await post(baseUrl, '/api/lookup', body)
    const found = codes.lookup(zipcode, country)
    t.equal(found !== undefined, lookup.status === 200, `${of}: found`)
    if (found !== undefined) {
      const { city, latitude, longitude, state, ST } = lookup.json
      t.same(found.city, city)
      t.same([found.latitude, found.longitude], [latitude, longitude])
      if (country.toUpperCase() === 'US') t.same([found.state, found.ST], [state, ST])
    }
    const metacode = await post(baseUrl, '/api/metacode', body)
    t.same(codes.metadata(zipcode, country), metacode.json.meta, `${of}: metadata`)
    t.equal(codes.validate(zipcode, country), lookup.status === 200, `${of}: valid`)
    if (typeof zipcode === 'string') {
      const record = { postalCode: zipcode, countryCode: country }
      const bulk = await post(baseUrl, '/api/validate-bulk', { apiKey: key, records: [record] })
      const { postalCode: _, countryCode: __, ...verdict } = bulk.json.results[0]
      t.same(codes.check(zipcode, country), verdict, `${of}: verdict`)
    }
  }
  for (const { city, country, ST } of sampleCities(codes, 100, SEED)) {
    for (const name of [city, `${city}x`]) {
      const answer = await post(baseUrl, '/api/city', { apiKey: key, city: name, country, ST })
      const found = codes.city(name, { country, ST })
      t.same(found?.zipcodes, answer.json.zipcodes, `${name} in ${country}`)
      t.same(found?.matched?.city, answer.json.matchedCity)
      t.same(found?.matched?.ST || undefined, answer.json.matchedST)
    }
  }
})

t.test('regions of other countries are in `state` and `ST`', async t => {
  const codes = openIndex(writeIndex(t.testdir()))
  t.same(codes.lookup('80331', 'DE'), {
    city: 'München',
    state: 'Bayern',
    ST: 'BY',
    latitude: 48.1345,
    longitude: 11.571,
  })
  t.same(codes.lookup('1001', 'LV'), { city: 'Rīga', state: '', ST: '' }, 'without a position')
  t.same(codes.city('Munich', { country: 'DE', state: '', ST: '' }), { zipcodes: ['80331'] })
  t.equal(codes.city('x'.repeat(200)), undefined)
  t.equal(codes.metadata('80331', 'DE')?.population, undefined)
  t.equal(codes.metadata('80331', 'DE', { population: true })?.population, 1_260_391)
})

t.test('an index opens from a path, a URL and from bytes that begin anywhere', async t => {
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

t.test('a file that is not an index is refused with what to do', async t => {
  t.throws(() => openIndex(new Uint8Array(100)), IndexFileError)
  t.throws(() => openIndex(Buffer.from('zipcode,city\n')), {
    message: /a header of 64 expected.*postrie build/,
  })
  t.throws(() => openIndex('/no/such/file'), { code: 'ENOENT' })
  t.throws(() => openIndex(null as unknown as string), { message: /got null, a Uint8Array/ })
})

t.test('a closed index finds nothing', async t => {
  const codes = openIndex(writeIndex(t.testdir()))
  t.equal(codes.validate('90210'), true)
  await codes.close()
  t.equal(codes.lookup('90210'), undefined)
  t.equal(codes.metadata('90210'), undefined)
  t.equal(codes.city('Beverly Hills'), undefined)
})
