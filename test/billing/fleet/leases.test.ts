/** The order in which a node hears of recalls, changes and answers. The test is the database. */
import t, { type Test } from 'tap'
import { LiveState } from '../../../src/billing/accounts/live/live-state.ts'
import { heldCounters } from '../../../src/billing/fleet/held.ts'
import { leasesOf } from '../../../src/billing/fleet/leases.ts'
import type { Exchange, ExchangeAnswer } from '../../../src/billing/fleet/messages.ts'
import { Book } from '../../../src/billing/ledger/book/book.ts'
import { MeterRows } from '../../../src/billing/ledger/meter/meter-layout.ts'
import type { Timeline } from '../../../src/billing/ledger/timeline.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { accountEvents, keyOf } from './support.ts'

const MICROS = 3 * QUERY_PRICE_MICROS
const REQUEST = { key: 1, queries: 3, pays: true }
const NOTHING = { shares: [], recalls: [], sequence: 2 }

type Answer = (answer: ExchangeAnswer) => void

/** Opens an account of three queries on a node, and returns what the node sends. */
function startNode(t: Test) {
  // The timers of a node do not keep its process alive.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  const book = new Book(true)
  book.transact(accountEvents(0, MICROS), 0, 1)
  book.transact([keyOf(1, 0)], 0, 2)
  const journal = {
    book,
    timeline: { nowMs: () => Date.now() } as Timeline,
    meter: { rows: new MeterRows(new ArrayBuffer(8192)) },
  }
  const held = heldCounters(LiveState.for(2), journal, { book, sequence: 0 })
  for (const record of book.slots) held.open(record)
  const sent: { exchange: Omit<Exchange, 'number'>; answer: Answer }[] = []
  let heard = () => {}
  const leases = leasesOf({
    ...{ journal, held, flusher: { flushKeys() {} }, isAway: () => false },
    send: exchange =>
      new Promise(answer => {
        sent.push({ exchange, answer })
        heard()
      }),
    onFail: error => t.fail(String(error)),
  })
  const next = async () => {
    if (sent.length === 0)
      await new Promise<void>(resolve => {
        heard = resolve
      })
    return sent.splice(0)[0]
  }
  const share = { holder: 0, kind: 0, validMs: null }
  return { book, held, leases, next, share }
}

t.test('a recall that is heard before the answer leaves time to charge what the answer grants', async t => {
  const { leases, next, share } = startNode(t)
  const leased = leases.lease(REQUEST, 10_000)
  const { exchange, answer } = await next()
  t.equal(exchange.wants[0].needed, MICROS)
  leases.recall(0)
  answer({ ...NOTHING, shares: [{ ...share, granted: MICROS, elsewhere: 0 }] })
  t.ok(await leased)
  const grantedMs = performance.now()
  const returned = await next()
  t.match(returned.exchange, { taken: [{ holder: 0, kind: 0, returned: MICROS }], wants: [] })
  t.ok(performance.now() - grantedMs > 45, 'not before 50 ms')
  returned.answer(NOTHING)
})

t.test('a waiting request is refused once the node has read that others used the rest', async t => {
  const { book, held, leases, next, share } = startNode(t)
  const leased = leases.lease(REQUEST, 10_000)
  const { answer } = await next()
  answer({ ...NOTHING, shares: [{ ...share, granted: 0, elsewhere: MICROS }] })
  ;(await next()).answer(NOTHING)
  book.apply({ kind: 'usage', rows: [{ key: 1, queries: [3], spentMicros: MICROS }] }, Date.now(), 3)
  held.renewElsewhere(book.account(0))
  t.equal(held.isDecided(REQUEST), 'refused')
  t.ok(await leased, 'the request tries again, and is refused')
})
