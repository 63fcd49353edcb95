import t from 'tap'
import { type PostalRecord, PostrieClient, PostrieError } from '../../../src/programs/client/client.ts'
import { startApp } from '../../support/app.ts'

const RECORDS: readonly PostalRecord[] = [
  { postalCode: '90210', countryCode: 'US' },
  { postalCode: 'SW1A 1AA', countryCode: 'gb' },
  { postalCode: 'FOO99', countryCode: 'US' },
  { postalCode: 'é', countryCode: 'US' },
  { postalCode: '1', countryCode: 'ZZ' },
]

function manyRecords(count: number): PostalRecord[] {
  return Array.from({ length: count }, (_, i) => ({ ...RECORDS[i % RECORDS.length] }))
}

async function postrieError(work: Promise<unknown>): Promise<PostrieError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof PostrieError) return error
  throw new Error(`a PostrieError expected, ${error} found`)
}

t.test('every endpoint answers', async t => {
  const { baseUrl, key } = await startApp(t)
  const client = new PostrieClient({ baseUrl, apiKey: key })
  t.match(await client.lookup('90210'), { city: 'Beverly Hills', ST: 'CA', balance: 0.027972 })
  t.match(await client.lookup(2139), { city: 'Cambridge' })
  t.match(await client.metadata('80331', { country: 'DE' }), { meta: { placeName: 'München' } })
  t.match(await client.validate('00000'), { valid: false, zipcode: '00000' })
  t.match(await client.city('springfield', { state: 'Illinois' }), { zipcodes: ['62701', '62702'] })
  t.match(await client.city('Sprungfield', { ST: 'IL' }), { matchedCity: 'Springfield' })
  t.match(await client.distance('90210', '90211'), { miles: 2.183 })
  t.match(await client.validateBulk(RECORDS), {
    results: [
      { valid: true, normalized: '90210', reason: null },
      { valid: true, normalized: 'SW1A', countryCode: 'GB' },
      { valid: false, reason: 'not_found' },
      { valid: false, reason: 'invalid_format' },
      { valid: false, reason: 'unknown_country' },
    ],
    totalCost: 0.00014,
  })
  t.match(await client.nearest({ latitude: 34.09, longitude: -118.41 }, { radius: 5, limit: 1 }), {
    results: [{ postalCode: '90210' }],
  })
  t.match(await client.nearest({ zipcode: '80331' }, { country: 'DE', limit: 1 }), {
    results: [{ distance: 0 }],
  })
  t.match(await client.autocomplete('Mün', { country: 'DE', limit: 3 }), { places: [{ codes: 1 }] })
  t.equal((await client.countries())?.countries.length, 10)
  t.match(await client.format('00001', { country: 'PL' }), { normalized: '00-001' })
  t.match(await client.format(undefined, { country: 'PL' }), { country: 'PL', valid: undefined })
  t.match(await client.city('Springfield', { ST: 'IL', limit: 1, offset: 1 }), { zipcodes: ['62702'] })
  const munich = [{ postalCode: '80331', countryCode: 'DE' }]
  t.match(await client.lookupAll(munich), [{ record: { placeName: 'München', population: undefined } }])
  t.match(await client.lookupAll(munich, { population: true }), [{ record: { population: 1_260_391 } }])
  t.match(await client.verify('90210', { city: 'Beverly Hills' }), { verdict: 'match' })
  t.match(await client.list('zipcodes', { limit: 1 }), { total: 7 })
  t.match(await client.about(), { version: '2.0.0' })
  t.match(await client.balance(), { balance: 0.027356 })
})

t.test('an unknown code is undefined and free', async t => {
  const { baseUrl, key, spentMicros } = await startApp(t)
  const client = new PostrieClient({ baseUrl, apiKey: key })
  t.equal(await client.lookup('00000'), undefined)
  t.equal(await client.metadata('00000', { country: 'DE' }), undefined)
  t.equal(await client.city('Atlantis', { country: 'DE' }), undefined)
  t.equal(await client.nearest({ zipcode: '00000' }), undefined)
  t.equal(await client.nearest({ zipcode: '00-001' }, { country: 'PL' }), undefined, 'without a position')
  t.equal(await client.distance('90210', '00001', { toCountry: 'PL' }), undefined)
  t.equal(await client.countries({ country: 'NF' }), undefined, 'a country without data')
  t.equal(spentMicros(), 0)
})

t.test('errors have a code and never the key', async t => {
  const { baseUrl, key } = await startApp(t)
  const client = new PostrieClient({ baseUrl: `${baseUrl}/`, apiKey: key })
  const cases: [() => Promise<unknown>, string, number | undefined][] = [
    [() => client.lookup(''), 'invalid_request', 400],
    [() => client.lookup('1', { country: 'XXX' }), 'invalid_request', 400],
    [() => client.city('Springfield'), 'invalid_request', 400],
    [() => client.validateBulk([]), 'invalid_request', 400],
    [() => new PostrieClient({ baseUrl, apiKey: 'pk_live_wrong' }).balance(), 'invalid_key', 401],
    [() => new PostrieClient({ baseUrl: `${baseUrl}/2`, apiKey: key }).lookup('90210'), 'wrong_address', 404],
    [
      () => new PostrieClient({ baseUrl: 'http://127.0.0.1:1', apiKey: key }).lookup('90210'),
      'network',
      undefined,
    ],
  ]
  for (const [work, code, status] of cases) {
    const error = await postrieError(work())
    t.same([error.code, error.status], [code, status], error.message)
    t.notOk(error.message.includes(key))
  }
  await client.validateBulk(manyRecords(1000))
  const empty = await postrieError(client.lookup('90210'))
  t.match(empty, { code: 'insufficient_balance', status: 402, currentBalance: '$0.0000' })
})

t.test('a batch that can never pass is not repeated', async t => {
  const { baseUrl, key, accounts } = await startApp(t)
  const [{ id }] = accounts.listAccounts()
  await accounts.setLimits(id, { perMinute: 3, perHour: null, perDay: null })
  const client = new PostrieClient({ baseUrl, apiKey: key, retries: 1000 })
  const error = await postrieError(client.validateBulk(RECORDS))
  t.match(error, { code: 'rate_limited', retryAfterSeconds: undefined })
  t.match(error.message, /429 Rate limit would be exceeded by this bulk request: /)
})

t.test('a long list is sent in batches, in order, with progress', async t => {
  const { baseUrl, key } = await startApp(t, undefined, { queries: 200_000 })
  const client = new PostrieClient({ baseUrl, apiKey: key })
  const records = manyRecords(12_345).map((record, i) => ({
    ...record,
    postalCode: `${record.postalCode}${i % 7}`,
  }))
  const seen: (number | undefined)[][] = []
  const results = await client.validateAll(records, { onProgress: (done, total) => seen.push([done, total]) })
  const postalCodes = results.map(({ postalCode }) => postalCode)
  t.same(
    postalCodes,
    records.map(({ postalCode }) => postalCode),
  )
  t.same(seen.at(-1), [12_345, 12_345])
  t.equal(seen.length, 13)

  let taken = 0
  async function* endless() {
    for (;;) {
      taken++
      yield RECORDS[0]
    }
  }
  let read = 0
  for await (const { valid } of client.validateEach(endless(), { batchSize: 10, concurrency: 3 })) {
    t.ok(valid)
    if (++read === 25) break
  }
  t.ok(taken <= 10 * (3 + 3), `records are taken as results are read: ${taken}`)
  t.same(await client.validateAll([]), [])
  const answered: unknown[] = []
  const broken = async function* () {
    for (let i = 0; i < 25; i++) yield { postalCode: '90210', countryCode: 'US' }
    throw new Error('the file ends here')
  }
  const all = async () => {
    for await (const result of client.validateEach(broken(), { batchSize: 10, concurrency: 3 }))
      answered.push(result)
  }
  await t.rejects(all(), { message: 'the file ends here' })
  t.equal(answered.length, 20, 'charged batches are yielded before')
})

t.test('impossible options are refused at once', async t => {
  const options = { baseUrl: 'https://example.com', apiKey: 'key' }
  for (const wrong of [
    { baseUrl: 'postal.example.com' },
    { baseUrl: 'ftp://example.com' },
    { apiKey: '' },
    { timeoutMs: -1 },
    { timeoutMs: 1.5 },
    { baseUrl: 'https://ada:secret@example.com' },
    { retries: Number.NaN },
    { retryWaitMsMax: 1e12 },
  ])
    t.throws(() => new PostrieClient({ ...options, ...wrong }), TypeError)
  const client = new PostrieClient(options)
  await t.rejects(client.lookup(1n as never), { name: 'PostrieError', code: 'invalid_request' }, 'not sent')
  for (const [wrong, message] of [
    [{ concurrency: 0 }, 'concurrency is 0: give a whole number from 1 to 1000'],
    [{ batchSize: 1001 }, 'batchSize is 1001: give a whole number from 1 to 1000'],
  ] as const)
    await t.rejects(client.validateEach([], wrong).next(), {
      name: 'PostrieError',
      code: 'invalid_request',
      message,
    })
})
