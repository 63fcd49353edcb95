import t, { type Test } from 'tap'
import { QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { ENDPOINT_LABELS, REFUSAL_REASONS, STATUSES } from '../../src/service/http/labels.ts'
import { without } from '../support/programs.ts'
import { RawSocket, rawPost } from '../support/raw-socket.ts'
import { startThreads } from '../support/threads.ts'
import { until } from '../support/until.ts'
import { type FramingCase, framingCases } from './framing-cases.ts'
import { PROXIES, startProxy } from './proxies.ts'
import { checkStats, startTarget, type Target } from './target.ts'

const head = (method: string, path: string, ...headers: string[]) =>
  [`${method} ${path} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n')
const { port, threads, accounts, openAccount } = await startThreads(t, 1)
const { key: apiKey, keyId } = await openAccount(100_000)
const lookup = rawPost('/api/lookup', JSON.stringify({ apiKey, zipcode: '90210' }))
const queries = () => (accounts.key(keyId)?.spentMicros ?? Number.NaN) / 28

const answered = () =>
  ENDPOINT_LABELS.flatMap((_, e) => STATUSES.map((_status, s) => threads.counts[0].answers(e, s))).reduce(
    (sum, count) => sum + count,
    0,
  )

/** Sends `count` requests in one piece, then one that closes the connection. Returns the number of answers. */
async function pipeline(request: string, count: number): Promise<number> {
  const raw = await RawSocket.open(port)
  raw.send(request.repeat(count) + head('GET', '/healthz', 'Connection: close'))
  return (await raw.closed()).split('HTTP/1.1 ').length - 1
}

for (const [name, request] of Object.entries({
  'warm requests': head('GET', '/api/x'),
  'unknown paths': head('GET', '/nope'),
  'other methods': head('PUT', '/api/lookup', 'Content-Length: 0'),
  preflights: head('OPTIONS', '/api/lookup'),
  'heads of documents': head('HEAD', '/openapi.json'),
  'requests without a key': rawPost('/api/lookup', '{}'),
  'encoded bodies': rawPost('/api/lookup', '{}', ['Content-Length: 2', 'Content-Encoding: gzip']),
  'small batches': rawPost('/api/validate-bulk', '{}'),
}))
  t.test(`a connection without a key cannot fill a turn with ${name}`, async t => {
    const count = 8000
    const before = answered()
    await pipeline(request, count)
    t.ok(answered() - before < count / 8, `${answered() - before} of ${count} were answered`)
  })

t.test('a client may pipeline 16 requests beside others that pipeline without end', async t => {
  const floods = await Promise.all(Array.from({ length: 16 }, () => RawSocket.open(port, '127.0.0.2')))
  let isOver = false
  const flooding = floods.map(async first => {
    for (let raw = first; !isOver; raw = await RawSocket.open(port, '127.0.0.2')) {
      raw.send(head('GET', '/api/x').repeat(4000))
      await raw.closed()
    }
  })
  const answers: number[] = []
  for (let i = 0; i < 50; i++) answers.push(await pipeline(lookup, 15))
  isOver = true
  await Promise.all(flooding)
  t.same(answers, new Array(50).fill(16))
})

t.test('charged answers are sent before a connection that has pipelined too much is closed', async t => {
  const before = queries()
  const answers = await pipeline(lookup, 200)
  t.ok(answers < 200)
  await until(() => queries() - before >= answers)
  t.equal(queries() - before, answers)
  t.ok(threads.counts[0].refusals[REFUSAL_REASONS.indexOf('pipelined')] > 0, 'the connection is counted')
})

// A hidden request must not run, every charge has an answer, and the next client gets its own answer.
t.setTimeout(300_000)

/** Sends the packets, ends the writing side, and reads to the end. */
async function exchange(port: number, packets: readonly string[]): Promise<string> {
  const raw = await RawSocket.open(port)
  for (const packet of packets) {
    raw.send(Buffer.from(packet, 'latin1'))
    // A turn of the event loop keeps two packets apart.
    await new Promise(resolve => setImmediate(resolve))
  }
  raw.socket.end()
  return raw.closed()
}

const countOf = (text: string, part: string) => text.split(part).length - 1

/** @param isProxied a proxy may answer with its own error, and may drop an answer of the server */
async function attack(
  t: Test,
  target: Target,
  port: number,
  one: FramingCase,
  isProxied: boolean,
): Promise<void> {
  const before = target.stats()
  const received = await exchange(port, one.packets)
  const next = await exchange(port, [target.lookup('62701')])
  const { spentMicros, smuggledMicros } = target.stats()
  const charged = (spentMicros - before.spentMicros) / QUERY_PRICE_MICROS - 1
  const answers = countOf(received, '"city":"Beverly Hills"')
  t.ok(next.includes('Springfield') && countOf(next, ' 200 ') === 1, `${one.name}: the next one is answered`)
  const isHidden = smuggledMicros === before.smuggledMicros
  t.ok(isHidden || (isProxied && one.isTwoToProxies), `${one.name}: nothing hidden is executed`)
  // An answer that a client loses with its connection stays charged.
  const isPaid = charged >= answers && charged <= one.executedMax
  // The answer belongs to the second request.
  const isOther = isProxied && one.isTwoToProxies
  t.ok(isPaid || isOther, `${one.name}: ${answers} answered and ${charged} charged`)
  t.ok(answers <= one.executedMax, `${one.name}: at most ${one.executedMax} answered`)
  // The binary for Node.js 20 answers 505 to an unreadable request.
  t.notMatch(received, isProxied ? /^HTTP\/1\.1 50[03] /m : /^HTTP\/1\.1 50[0-4] /m, one.name)
}

for (const front of ['the server itself', ...PROXIES] as const) {
  const isProxied = front !== 'the server itself'
  const skip = isProxied && without(front)
  t.test(`${front} executes no request that is hidden in an ambiguous one`, { skip }, async t => {
    const target = await startTarget(t)
    const port = isProxied ? await startProxy(t, front, target.port) : target.port
    const cases = framingCases(target)
    t.ok(cases.length >= 120, `${cases.length} cases`)
    for (const one of cases) await attack(t, target, port, one, isProxied)
    await checkStats(t, target)
  })
}
