import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { PostrieClient, PostrieError, type TransportOptions } from '../../../src/programs/client/client.ts'
import { listenUntilEnd } from '../../support/listening.ts'
import { until } from '../../support/until.ts'

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

async function failure(work: Promise<unknown>): Promise<PostrieError> {
  const error = await work.catch((reason: unknown) => reason)
  if (error instanceof PostrieError) return error
  throw new Error(`a PostrieError expected, ${error} found`)
}

t.test('503 and 429 are repeated when the service asks for it', async t => {
  const limited = answer(429, { error: 'Rate limit exceeded', retryAfter: 1 })
  const { client, count } = await startMisbehaving(t, [BUSY, limited, OK])
  t.match(await client.lookup('1'), { city: 'A' })
  t.equal(count(), 3)
})

t.test('the error of a busy service has its message', async t => {
  const { client, count } = await startMisbehaving(t, [BUSY], { retries: 2 })
  t.match(await failure(client.lookup('1')), { code: 'unavailable', status: 503, retryAfterSeconds: 0 })
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
    const error = await failure(client.lookup('1'))
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
    const error = await failure(client.lookup('1'))
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
    t.equal((await failure(unreachable.lookup('1'))).code, 'unreachable', baseUrl)
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
  const error = await failure((await start()).client.validateAll(records, options))
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
  const { message } = await failure(client.validateAll([{ postalCode: '1', countryCode: 'US' }]))
  t.match(message, /: 402 Insufficient balance: Add funds to continue\. 0 of 1 records were answered$/)
})

t.test('a wrong number of results is refused', async t => {
  for (const body of [{}, { results: [] }, { results: 'x' }]) {
    const { client } = await startMisbehaving(t, [answer(200, body)])
    const records = [{ postalCode: '1', countryCode: 'US' }]
    t.equal((await failure(client.validateBulk(records))).code, 'bad_response')
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
