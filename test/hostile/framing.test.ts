/** A hidden request must not run, every charge has an answer, and the next client gets its own answer. */
import t, { type Test } from 'tap'
import { QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { without } from '../support/programs.ts'
import { RawSocket } from '../support/raw-socket.ts'
import { type FramingCase, framingCases } from './framing-cases.ts'
import { PROXIES, startProxy } from './proxies.ts'
import { checkStats, startTarget, type Target } from './target.ts'

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
