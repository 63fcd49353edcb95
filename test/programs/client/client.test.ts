import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import {
  type PostalRecord,
  PostrieClient,
  PostrieError,
  type TransportOptions,
} from '../../../src/programs/client/client.ts'
import { startApp } from '../../support/app.ts'
import { fixtureIndex } from '../../support/fixture-index.ts'
import { listenUntilEnd } from '../../support/listening.ts'
import { until } from '../../support/until.ts'

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

/** @param answers one for each request; the last one answers all further requests */
async function startMisbehaving(
  t: Test,
  answers: readonly RequestListener[],
  options: Partial<TransportOptions> = {},
) {
  let count = 0
  const server = createServer((request, response) => {
    const answer = answers[Math.min(count++, answers.length - 1)]
    let body = ''
    request.on('data', piece => (body += piece))
    request.on('end', () => answer(Object.assign(request, { body }), response))
  })
  const baseUrl = `http://127.0.0.1:${await listenUntilEnd(t, server)}`
  return { client: new PostrieClient({ baseUrl, apiKey: 'secret-key', ...options }), count: () => count }
}

const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
const OK = answer(200, { city: 'A', balance: 1 })
const BUSY = answer(503, { error: 'Service unavailable' }, { 'Retry-After': '0' })

t.test('503 and 429 are repeated when the service asks for it', async t => {
  const limited = answer(429, { error: 'Rate limit exceeded', retryAfter: 1 })
  const { client, count } = await startMisbehaving(t, [BUSY, limited, OK])
  t.match(await client.lookup('1'), { city: 'A' })
  t.equal(count(), 3)
})

t.test('the error of a busy service has its message', async t => {
  const { client, count } = await startMisbehaving(t, [BUSY], { retries: 2 })
  t.match(await postrieError(client.lookup('1')), { code: 'unavailable', status: 503, retryAfterSeconds: 0 })
  t.equal(count(), 3)
})

t.test('a long wait is an error, and a malformed wait is ignored', async t => {
  for (const [header, seconds] of [
    ['3600', 3600],
    [new Date(Date.now() + 7_200_000).toUTCString(), 7199],
  ] as const) {
    const { client, count } = await startMisbehaving(t, [
      answer(429, { error: 'x' }, { 'Retry-After': header }),
    ])
    const error = await postrieError(client.lookup('1'))
    t.equal(error.code, 'rate_limited')
    t.ok((error.retryAfterSeconds ?? 0) >= seconds - 1)
    t.equal(count(), 1)
  }
  for (const header of ['-5', '0']) {
    const { client } = await startMisbehaving(t, [answer(503, '', { 'Retry-After': header }), OK])
    t.match(await client.lookup('1'), { city: 'A' })
  }
})

t.test('other failures are not repeated, because they may be charged', async t => {
  const cases: [string, RequestListener, Partial<TransportOptions>?][] = [
    ['network', (request, _) => request.socket.destroy()],
    [
      'network',
      (_, response) => response.writeHead(200, { 'Content-Length': '100' }).write('{') && response.destroy(),
    ],
    ['timeout', () => {}, { timeoutMs: 500 }],
    ['timeout', (_, response) => response.writeHead(200).write('{"city":'), { timeoutMs: 500 }],
    ['wrong_address', answer(302, '', { Location: 'http://127.0.0.1:1/' })],
    ['bad_response', answer(200, { status: 'warm' })],
    ['bad_response', answer(200, '<html>Welcome</html>')],
    ['bad_response', answer(200, '')],
    ['bad_response', answer(200, [1])],
    ['bad_response', answer(200, 'null')],
    ['server_error', answer(500, '<html>oops</html>')],
    ['server_error', answer(502, { error: 7 })],
    ['wrong_address', answer(404, { error: 'Not found' })],
    ['wrong_address', answer(404, 'nginx')],
  ]
  for (const [code, listener, options] of cases) {
    const { client, count } = await startMisbehaving(t, [listener], options)
    const error = await postrieError(client.lookup('1'))
    t.equal(error.code, code, error.message)
    // On a busy machine the client may give up before the server has read the request.
    await until(() => count() > 0)
    t.equal(count(), 1)
    t.notOk(error.message.includes('secret-key'))
    t.notOk(JSON.stringify(error).includes('secret-key'))
  }
})

t.test('a refused connection is retried, and then no request was charged', async t => {
  const server = createServer(OK)
  const { port } = await new Promise<AddressInfo>(resolve => {
    const first = createServer().listen(0, '127.0.0.1', () => {
      const address = first.address() as AddressInfo
      first.close(() => resolve(address))
    })
  })
  const asked: number[] = []
  const open: typeof fetch = (...args) => {
    // The second attempt finds the server.
    if (asked.push(1) === 2) server.listen(port, '127.0.0.1')
    return fetch(...args)
  }
  t.teardown(() => server.close())
  const client = new PostrieClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key', fetch: open })
  t.match(await client.lookup('1'), { city: 'A' })
  t.ok(asked.length >= 2)
  for (const baseUrl of ['http://name.invalid', `https://127.0.0.1:${port}`]) {
    const unreachable = new PostrieClient({ baseUrl, apiKey: 'key', retries: 1 })
    t.equal((await postrieError(unreachable.lookup('1'))).code, 'unreachable', baseUrl)
  }
})

t.test('a restart costs no results that were answered', async t => {
  const records = Array.from({ length: 6 }, (_, i) => ({ postalCode: `${i}`, countryCode: 'US' }))
  const start = (options: Partial<TransportOptions> = {}) => {
    let isBroken = false
    const listener: RequestListener = (request, response) => {
      const { records } = JSON.parse((request as unknown as { body: string }).body)
      const breaks = records[0].postalCode === '1' && !isBroken
      if (breaks) isBroken = true
      if (breaks) request.socket.destroy()
      else answer(200, { results: records, balance: 1 })(request, response)
    }
    return startMisbehaving(t, [listener], options)
  }
  const options = { batchSize: 1, concurrency: 3 }
  const error = await postrieError((await start()).client.validateAll(records, options))
  t.equal(error.code, 'network')
  t.match(error.answered?.slice(0, 3), [{ postalCode: '0' }, undefined, { postalCode: '2' }])
  t.equal(error.answered?.length, 6)
  t.match(error.message, /of 6 records were answered$/)

  const again = await start({ retryUnanswered: true })
  t.match(await again.client.validateAll(records, options), records)
  t.equal(again.count(), 7)

  const failed: unknown[] = []
  const { client } = await start()
  const each = client.validateEach(records, {
    ...options,
    onFailure: ({ code }, batch) => failed.push([code, batch]),
  })
  const results = []
  for await (const { postalCode } of each) results.push(postalCode)
  t.same(results, ['0', '2', '3', '4', '5'])
  t.same(failed, [['network', [records[1]]]])
})

t.test('a sentence of the service is followed by one full stop', async t => {
  const body = { error: 'Insufficient balance', message: 'Add funds to continue.' }
  const { client } = await startMisbehaving(t, [answer(402, body)])
  const { message } = await postrieError(client.validateAll([{ postalCode: '1', countryCode: 'US' }]))
  t.match(message, /: 402 Insufficient balance: Add funds to continue\. 0 of 1 records were answered$/)
})

t.test('a wrong number of results is refused', async t => {
  for (const body of [{}, { results: [] }, { results: 'x' }]) {
    const { client } = await startMisbehaving(t, [answer(200, body)])
    const records = [{ postalCode: '1', countryCode: 'US' }]
    t.equal((await postrieError(client.validateBulk(records))).code, 'bad_response')
  }
})

t.test('a signal ends a request, a wait and a list', async t => {
  for (const listener of [() => {}, answer(503, '', { 'Retry-After': '30' })] as RequestListener[]) {
    const { client } = await startMisbehaving(t, [listener])
    const controller = new AbortController()
    const work = client.lookup('1', { signal: controller.signal })
    setImmediate(() => controller.abort(new Error('enough')))
    await t.rejects(work, { message: 'enough' })
    await t.rejects(client.lookup('1', { signal: AbortSignal.abort(new Error('before')) }), {
      message: 'before',
    })
  }
})

const run = promisify(execFile)
/** DENO and BUN name the programs, which npm installs. */
const RUNTIMES: readonly (readonly [name: string, program: string | undefined, args: readonly string[]])[] = [
  ['Node.js', process.execPath, []],
  ['Deno', process.env.DENO, ['run', '--allow-all', '--no-lock', '--no-remote']],
  ['Bun', process.env.BUN, ['run']],
]

/** A program that uses client and library and prints the results. */
function program(baseUrl: string, apiKey: string, indexFile: string): string {
  const module = (path: string) => JSON.stringify(new URL(`../../../src/${path}`, import.meta.url).href)
  return `
import { readFileSync } from 'node:fs'
import { PostrieClient, PostrieError } from ${module('programs/client/client.js')}
import { openIndex } from ${module('postal/library/node.js')}

const client = new PostrieClient({ baseUrl: ${JSON.stringify(baseUrl)}, apiKey: ${JSON.stringify(apiKey)} })
const refused = new PostrieClient({ baseUrl: ${JSON.stringify(baseUrl)}, apiKey: 'wrong' })
const records = Array.from({ length: 150 }, (_, i) => ({ postalCode: i % 3 ? '90210' : '00000', countryCode: 'US' }))
const all = await client.validateAll(records, { batchSize: 40 })
const place = await client.lookup('90210')
const error = await refused.lookup('90210').catch(error => error)
const [mapped, read] = [openIndex(${JSON.stringify(indexFile)}), openIndex(new Uint8Array(readFileSync(${JSON.stringify(indexFile)})))]
console.log(JSON.stringify({
  city: place?.city,
  near: (await client.nearest({ zipcode: '90210' }, { limit: 1 }))?.results,
  inOrder: all.every(({ valid }, i) => valid === (i % 3 > 0)),
  error: error instanceof PostrieError ? error.code : String(error),
  mapped: mapped.lookup('SW1A 1AA', 'GB'),
  isSame: JSON.stringify(mapped.city('Springfield', { ST: 'IL' })) === JSON.stringify(read.city('Springfield', { ST: 'IL' })),
}))
await mapped.close()
`
}

for (const [name, file, args] of RUNTIMES)
  t.test(name, { skip: file === undefined && `${name.toUpperCase()} does not name its program` }, async t => {
    const folder = t.testdir()
    const index = fixtureIndex(folder)
    const { baseUrl, key } = await startApp(t, undefined, { index })
    const script = join(folder, 'program.mjs')
    writeFileSync(script, program(baseUrl, key, index.path))
    const { stdout } = await run(file as string, [...args, script], { timeout: 60_000 })
    t.match(JSON.parse(stdout), {
      city: 'Beverly Hills',
      near: [{ postalCode: '90210' }],
      inOrder: true,
      error: 'invalid_key',
      mapped: { city: 'London' },
      isSame: true,
    })
  })
