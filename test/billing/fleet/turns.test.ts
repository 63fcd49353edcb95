/**
 * 1. An account has 100 queries, all leased by other nodes. Here one key waits for 60, and another for 50: both do not fit.
 * 2. The exchange asks for the 60, and is refused. The next one asks for the other key.
 */
import t from 'tap'
import { liveParts } from '../../../src/billing/accounts/live/live-layout.ts'
import { LiveState } from '../../../src/billing/accounts/live/live-state.ts'
import { ActiveAccount, SERVE_MS } from '../../../src/billing/fleet/active-account.ts'
import { BALANCE } from '../../../src/billing/fleet/messages.ts'
import { nodeCounters } from '../../../src/billing/fleet/node-counters.ts'
import { wantsOf } from '../../../src/billing/fleet/wants.ts'
import { Book } from '../../../src/billing/ledger/book/book.ts'
import { MeterRows } from '../../../src/billing/ledger/meter/meter-layout.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { accountEvents, keyOf } from './support.ts'

t.test('after a refusal, keys that wait are asked for in turn', async t => {
  const book = new Book(true)
  book.transact(accountEvents(0, 100 * QUERY_PRICE_MICROS), 0, 1)
  for (const key of [1, 2]) book.transact([keyOf(key, 0)], 0, 1 + key)
  const live = new LiveState({ memory: new SharedArrayBuffer(liveParts(3).bytes), slots: 3 })
  const ledger = { timeline: { nowMs: () => 0 }, meter: { rows: new MeterRows(new ArrayBuffer(8192)) } }
  const held = nodeCounters(live, ledger, { book, sequence: 0 })
  for (const record of book.slots) held.refillFunds(record)
  const active = new ActiveAccount(book.account(0), 0)
  for (const [key, queries] of [
    [1, 60],
    [2, 50],
  ]) {
    active.keySlots.add(key)
    active.waiting.add({ shortfall: { keySlot: key, queries, pays: true }, resolve() {} })
  }
  const needed = () =>
    wantsOf(active, held.read(active)).map(one =>
      one.kind === BALANCE ? one.needed / QUERY_PRICE_MICROS : 0,
    )
  t.same(needed(), [60])
  for (const queries of [50, 60, 50, 60]) {
    active.rotate()
    t.same(needed(), [queries])
  }
})

t.test('requests charge what was granted for them before a recall takes it', async t => {
  const book = new Book(true)
  book.transact(accountEvents(0, QUERY_PRICE_MICROS), 0, 1)
  const active = new ActiveAccount(book.account(0), 0)
  active.isRecalled = true
  t.equal(active.leaseStep(0), 'return')
  active.servedMs = 0
  t.same([active.leaseStep(SERVE_MS - 1), active.leaseStep(SERVE_MS)], ['serve', 'return'])
})
