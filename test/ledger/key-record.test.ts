/** The record of a key in a snapshot, and the tables that find it, against a library and plain maps. */
import fc from 'fast-check'
import t from 'tap'
import { Book } from '../../src/ledger/book/book.ts'
import type { KeyRecord } from '../../src/ledger/book/record.ts'
import { packValue } from '../../src/ledger/event.ts'
import { cursorOf } from '../../src/ledger/message-pack.ts'
import { packRecord, unpackRecord } from '../../src/ledger/snapshot/stored-record.ts'
import { appendUsageRow } from '../../src/ledger/usage-rows.ts'

const HOUR_MS = 3_600_000
const START_MS = 490_000 * HOUR_MS

const count = fc.oneof(
  fc.constantFrom(0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1),
  fc.maxSafeNat(),
)
const text = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ maxLength: 40, unit: 'grapheme' }),
  fc.constantFrom('', 'a'.repeat(31), 'a'.repeat(32), 'é'.repeat(128), 'x'.repeat(255), 'x'.repeat(65_536)),
)
const key = fc.record({
  texts: fc.tuple(text, text, text, text),
  createdMs: fc.oneof(count, fc.double({ min: 0, max: 8e15, noNaN: true })),
  revokedMs: fc.oneof(count, fc.double({ min: 0, max: 8e15, noNaN: true })),
  capMicros: fc.oneof(fc.constant(null), fc.nat()),
  spentMicros: count,
  month: fc.nat(),
  monthSpentMicros: count,
  queries: fc.array(fc.nat(), { minLength: 5, maxLength: 10 }),
  hours: fc.array(fc.nat({ max: 400 }), { maxLength: 120 }),
})

function bookWithAccount(): Book {
  const book = new Book()
  book.apply({ kind: 'account', slot: 0, id: 'a', email: 'a@example.org' }, 1, 1)
  book.apply(
    {
      kind: 'credit',
      account: 0,
      micros: Number.MAX_SAFE_INTEGER,
      debtPaidMicros: 0,
      credit: 'test',
      reference: 'r',
      note: '',
    },
    1,
    1,
  )
  return book
}

/** The histories as an obviously right writer packs them, from all rows. */
function historiesOf(record: KeyRecord): Uint8Array {
  const [hours, days] = [record.hours.toPacked(), record.days.toPacked()]
  return Buffer.concat([Buffer.of(hours.length & 255, hours.length >> 8), hours, days])
}

/** The five classes that every record has, and the others up to the last one in use. */
function usedQueries({ queries }: KeyRecord): number[] {
  return queries.slice(0, Math.max(5, queries.findLastIndex(count => count > 0) + 1))
}

t.test('a key is packed as the library packs an array of its fields, and read back', async t => {
  const property = fc.property(key, fields => {
    const book = bookWithAccount()
    const [id, label, start, hash] = fields.texts
    book.apply({ kind: 'key', slot: 1, id, account: 0, label, start, hash }, fields.createdMs, 1)
    const record = book.key(1)
    const { queries } = fields
    for (const [index, hour] of fields.hours.entries()) {
      queries[hour % queries.length] += 1 + hour
      const rows: number[] = []
      appendUsageRow(rows, 1, queries, 28 * (1 + index))
      book.apply({ kind: 'usage', rows }, START_MS + hour * HOUR_MS, 1)
    }
    record.revokedMs = fields.revokedMs
    record.capMicros = fields.capMicros
    record.spentMicros = fields.spentMicros
    record.month = fields.month
    record.monthSpentMicros = fields.monthSpentMicros
    const packed = Buffer.from(packRecord(record))
    const { createdMs, revokedMs, capMicros, spentMicros, lastUsedMs, month, monthSpentMicros } = record
    const numbers = [createdMs, revokedMs, capMicros, spentMicros, lastUsedMs, month, monthSpentMicros]
    const plain = packValue([1, 0, ...fields.texts, ...numbers, historiesOf(record), ...usedQueries(record)])
    t.ok(packed.equals(plain))

    const again = bookWithAccount()
    unpackRecord(again, cursorOf(packed, 0, packed.length))
    t.ok(Buffer.from(packRecord(again.key(1))).equals(packed), 'and packs again')
    const { slot, label: readLabel, start: readStart } = again.key(1)
    t.strictSame([slot, again.key(1).id, readLabel, readStart, again.key(1).hash], [1, ...fields.texts])
    t.equal(again.keys.get(id), again.key(1))
    t.strictSame([...again.key(1).queries], [...record.queries])
  })
  fc.assert(property, { numRuns: 300, seed: 1 })
})

t.test('a key that is cut short or holds something else is refused, and the book is as it was', async t => {
  const book = bookWithAccount()
  book.apply(
    { kind: 'key', slot: 1, id: 'key_1', account: 0, label: 'l', start: 's', hash: 'h' },
    START_MS,
    1,
  )
  book.apply({ kind: 'usage', rows: [1, 31, 1, 2, 3, 4, 5, 28] }, START_MS, 1)
  const packed = Buffer.from(packRecord(book.key(1)))
  for (let end = 0; end < packed.length; end++) {
    const again = bookWithAccount()
    t.throws(() => unpackRecord(again, cursorOf(packed, 0, end)), `cut after ${end} bytes`)
    t.equal(again.keys.size, 0)
  }
  const values: unknown[] = [
    1,
    0,
    'id',
    'label',
    'start',
    'hash',
    1,
    0,
    null,
    0,
    0,
    0,
    0,
    Buffer.of(0, 0),
    1,
    2,
    3,
    4,
    5,
  ]
  for (const [at, wrong] of [
    [0, 2],
    [0, -1],
    [1, 1],
    [1, 'x'],
    [2, 5],
    [6, -1.5],
    [6, Number.POSITIVE_INFINITY],
    [9, 1.5],
    [7, null],
    [8, 2 ** 53],
    [9, -1e12],
    [13, 'text'],
    [13, Buffer.of(1)],
    [13, Buffer.of(1, 0)],
    [18, [5]],
    [19, 'x'],
    [24, 6],
  ] as const) {
    const bytes = packValue(Object.assign([...values], { [at]: wrong }))
    t.throws(() => unpackRecord(bookWithAccount(), cursorOf(bytes, 0, bytes.length)), `${at}: ${wrong}`)
  }
  const right = packValue(values)
  t.doesNotThrow(() => unpackRecord(bookWithAccount(), cursorOf(right, 0, right.length)))
})

t.test('thousands of keys are found by their ids, and no others', async t => {
  const book = bookWithAccount()
  const KEYS = 5000
  for (let slot = 1; slot <= KEYS; slot++) {
    const event = { slot, id: `key_${slot}`, account: 0, label: '', start: '', hash: `hash ${slot % 4000}` }
    book.apply({ kind: 'key', ...event }, 1, 1)
  }
  t.equal(book.keys.size, KEYS)
  for (let slot = 1; slot <= KEYS; slot++) {
    if (book.keys.get(`key_${slot}`)?.slot !== slot) t.fail(`key_${slot}`)
  }
  for (const id of ['', 'key_0', 'key_5001', 'KEY_1', 'key_1 ']) t.equal(book.keys.get(id), undefined)
  const twice = { slot: KEYS + 1, id: 'key_7', account: 0, label: '', start: '', hash: 'new' }
  t.throws(() => book.apply({ kind: 'key', ...twice }, 1, 1), /key key_7 created twice/)
  t.equal(book.keys.size, KEYS)
})

t.test('a key that is renamed keeps its other texts', async t => {
  const book = bookWithAccount()
  for (const slot of [1, 2]) {
    book.apply(
      { kind: 'key', slot, id: `k${slot}`, account: 0, label: 'old', start: 'st', hash: `h${slot}` },
      1,
      1,
    )
  }
  book.apply({ kind: 'rename', key: 1, label: 'Zoë’s key' }, 1, 1)
  const texts = [1, 2].map(slot => {
    const { id, label, start, hash } = book.key(slot)
    return [id, label, start, hash]
  })
  t.strictSame(texts, [
    ['k1', 'Zoë’s key', 'st', 'h1'],
    ['k2', 'old', 'st', 'h2'],
  ])
  t.equal(book.keys.get('k1'), book.key(1))
})
