/** Payloads with changed bytes and a valid CRC. `MUTATED_EVENTS` sets the number; nightly 2,000,000. */
import { strict as assert } from 'node:assert'
import fc from 'fast-check'
import t from 'tap'
import { Book } from '../../../src/billing/ledger/book/book.ts'
import { balanceMicros } from '../../../src/billing/ledger/book/record.ts'
import { decodePayload, encodePayload, type LedgerEvent } from '../../../src/billing/ledger/event.ts'
import { packValue } from '../../../src/billing/ledger/plain-message-pack.ts'
import { addPayload, payloadsOf } from '../../../src/billing/ledger/snapshot/snapshot.ts'
import { everyEvent } from './every-event.ts'

t.setTimeout(3_600_000)

const RUNS = Number(process.env.MUTATED_EVENTS ?? 5000)
const NOW = Date.UTC(2026, 0, 1)
const MARKERS = [
  0xc0, 0xc1, 0xc4, 0xc7, 0xca, 0xcb, 0xcf, 0xd4, 0xd8, 0xd9, 0xdb, 0xdd, 0xdf, 0x72, 0x41, 0xff,
]

const TRANSACTIONS = everyEvent(NOW)

function bookBefore(count: number): Book {
  const book = new Book()
  for (const [index, events] of TRANSACTIONS.slice(0, count).entries()) book.transact(events, NOW, index + 1)
  return book
}

type Edit = { at: number; act: 'set' | 'insert' | 'remove' | 'cut'; value: number }

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(),
  act: fc.constantFrom('set', 'set', 'set', 'insert', 'remove', 'cut'),
  value: fc.oneof(fc.nat(255), fc.constantFrom(...MARKERS)),
})
const edits = fc.array(edit, { minLength: 1, maxLength: 4 })

function mutate(payload: Buffer, edits: readonly Edit[]): Buffer {
  let bytes = Buffer.from(payload)
  for (const { at, act, value } of edits) {
    if (bytes.length === 0) break
    const offset = at % bytes.length
    if (act === 'set') bytes[offset] = value
    else if (act === 'cut') bytes = bytes.subarray(0, offset)
    else {
      const rest = bytes.subarray(act === 'remove' ? offset + 1 : offset)
      const inserted = act === 'insert' ? Buffer.of(value) : Buffer.alloc(0)
      bytes = Buffer.concat([bytes.subarray(0, offset), inserted, rest])
    }
  }
  return bytes
}

function contentOf(book: Book): string {
  return Buffer.concat([...payloadsOf(book)]).toString('base64')
}

function expectSane(book: Book): void {
  for (const account of book.accounts.values()) {
    assert.ok(balanceMicros(account) >= 0 && account.debtMicros >= 0, `${account.id} is negative`)
    assert.ok(balanceMicros(account) === 0 || account.debtMicros === 0, `${account.id}: balance and debt`)
  }
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
}

t.test(`${RUNS} mutated transactions are refused or valid`, async t => {
  const payloads = TRANSACTIONS.map(events => encodePayload(NOW, events))
  let refused = 0
  const property = fc.property(fc.nat(payloads.length - 1), edits, (index, edits) => {
    const bytes = mutate(payloads[index], edits)
    let events: LedgerEvent[]
    let timeMs: number
    try {
      ;[timeMs, ...events] = decodePayload(bytes)
    } catch (error) {
      assert.ok(error instanceof Error && error.message !== '')
      refused++
      return
    }
    const again = decodePayload(encodePayload(timeMs, events))
    assert.deepStrictEqual(again, [timeMs, ...events])
    const book = bookBefore(index)
    const before = contentOf(book)
    try {
      book.transact(events, timeMs, index + 1)
    } catch (error) {
      assert.ok(error instanceof Error && error.message !== '')
      assert.equal(contentOf(book), before, 'a refused transaction changes nothing')
      refused++
      return
    }
    expectSane(book)
  })
  fc.assert(property, { numRuns: RUNS, seed: 1 })
  t.comment(`${refused} refused`)
  t.ok(refused > RUNS / 2)
})

t.test('every field of another type, and every unknown field, is refused', async t => {
  for (const event of TRANSACTIONS.flat()) {
    const fields = Object.entries(event)
    for (const [field, value] of [...fields, ['unknown', 5]])
      for (const wrong of [typeof value === 'string' ? 5 : 'x', {}]) {
        const payload = packValue([NOW, { ...event, [`${field}`]: wrong }])
        t.throws(() => decodePayload(payload), Error, `${event.kind}: ${field} is ${JSON.stringify(wrong)}`)
      }
    for (const [field] of fields.filter(([field]) => field !== 'by' && field !== 'payment')) {
      const others = Object.fromEntries(fields.filter(([other]) => other !== field))
      t.throws(() => decodePayload(packValue([NOW, others])), Error, `${event.kind} without ${field}`)
    }
  }
})

t.test('hostile payloads are refused', async t => {
  const time = Buffer.from('cb4278bcfe568000', 'hex')
  const start = Buffer.concat([Buffer.of(0x92), time, Buffer.of(0)])
  const hostile: Record<string, Buffer> = {
    'an array of four billion': Buffer.from('ddffffffff', 'hex'),
    'a map of four billion': Buffer.from('dfffffffff', 'hex'),
    'bytes of four billion': Buffer.from('c6ffffffff', 'hex'),
    'a million arrays in each other': Buffer.alloc(1_000_000, 0x91),
    'a record of msgpackr': Buffer.from('d4724191a16101', 'hex'),
    'a date': Buffer.from('d6ff00000000', 'hex'),
    'a big integer': Buffer.from('cfffffffffffffffff', 'hex'),
    'a number as the key of a map': Buffer.from('810101', 'hex'),
    'a prototype': Buffer.concat([
      Buffer.from('81a95f5f70726f746f5f5f81a8', 'hex'),
      Buffer.from('polluted'),
      Buffer.of(1),
    ]),
  }
  for (const [name, bytes] of Object.entries(hostile)) {
    t.throws(() => decodePayload(bytes), Error, name)
    t.throws(() => decodePayload(Buffer.concat([start, bytes])), Error, `${name}, as an event`)
    t.throws(() => addPayload(new Book(), bytes), Error, `${name}, as an item`)
  }
  expectSane(new Book())
})
