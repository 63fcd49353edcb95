/** An event that the book refuses leaves it as it was. */
import t from 'tap'
import { Book } from '../../src/ledger/book/book.ts'
import type { LedgerEvent, UsageRow } from '../../src/ledger/event.ts'
import { Ledger } from '../../src/ledger/ledger.ts'
import { payloadsOf } from '../../src/ledger/snapshot/snapshot-items.ts'
import { QUERY_PRICE_MICROS } from '../../src/money.ts'

const amounts = { micros: 1000, debtPaidMicros: 0 }
const credit = { kind: 'credit', account: 0, ...amounts, credit: 'test', reference: 'r', note: '' } as const
const refund = { kind: 'adjust', account: 0, adjust: 'refund', reference: 'x', note: '' } as const

/** A row of `queries` look-ups. */
function used(key: number, queries: number): UsageRow {
  return { key, queries: [queries], spentMicros: queries * 28 }
}

function filled(): Book {
  const book = new Book()
  book.transact([{ kind: 'account', slot: 0, id: 'a', email: 'a@example.org' }, credit], 1, 1)
  book.apply({ kind: 'identity', account: 0, issuer: 'i', subject: 's' }, 2, 2)
  for (const slot of [1, 2]) {
    book.apply({ kind: 'key', slot, id: `k${slot}`, account: 0, label: '', start: '', hash: '' }, 3, 3)
  }
  book.apply({ kind: 'usage', rows: [used(1, 2)] }, 4, 4)
  return book
}

/** Everything that a book holds, as plain values. */
function contentOf(book: Book): unknown {
  return structuredClone([
    Buffer.concat([...payloadsOf(book)]),
    book.slots.map(record => (record.type === 'account' ? [record.keys.length, record.activeKeys] : [])),
    [...book.accounts.keys()],
    [...book.byEmail.keys()],
    [...book.byIdentity.keys()],
    [...book.keys.keys()],
    [...book.references.keys()],
  ])
}

const opening: LedgerEvent = { kind: 'account', slot: 3, id: 'b', email: 'b@example.org' }
const REFUSED: Record<string, LedgerEvent[]> = {
  'an opening whose credit has a reference of another one': [
    opening,
    { kind: 'identity', account: 3, issuer: 'i', subject: 'other' },
    { ...credit, account: 3, reference: 'new' },
    { ...credit, account: 3 },
  ],
  'an opening whose sign-in belongs to another account': [
    opening,
    { ...credit, account: 3, reference: 'new' },
    { kind: 'identity', account: 3, issuer: 'i', subject: 's' },
  ],
  'an opening that concerns another account as well': [opening, { ...credit, reference: 'new' }],
  'several events that open nothing': [
    { ...credit, reference: 'x' },
    { ...credit, reference: 'y' },
  ],
  'a sign-in of another account': [{ kind: 'identity', account: 1, issuer: 'i', subject: 's' }],
  'an adjustment beyond the balance': [{ ...refund, micros: 2000, takenMicros: 2000 }],
  'a credit that pays more than the debt': [{ ...credit, reference: 'x', debtPaidMicros: 1 }],
  'a credit with a reference that is used': [credit],
  'usage whose second row is beyond the balance': [{ kind: 'usage', rows: [used(1, 5), used(2, 99)] }],
  'usage whose second row has no key': [{ kind: 'usage', rows: [used(1, 5), used(9, 1)] }],
  'a key of no account': [{ kind: 'key', slot: 3, id: 'k', account: 2, label: '', start: '', hash: '' }],
  'a slot that is left out': [{ ...opening, slot: 4 }],
}

for (const [name, events] of Object.entries(REFUSED)) {
  t.test(`a refused transaction changes nothing: ${name}`, async t => {
    const book = filled()
    const before = contentOf(book)
    t.throws(() => book.transact(events, 5, 5))
    t.same(contentOf(book), before)
    book.transact([opening, { ...credit, account: 3, reference: 'new' }], 6, 6)
    t.equal(book.byEmail.get('b@example.org')?.slot, 3, 'and the book goes on')
  })
}

t.test('a transaction that the book refuses leaves no trace in the ledger', async t => {
  const options = { dir: t.testdir(), priceMicros: QUERY_PRICE_MICROS, onFail: () => {} }
  const ledger = await Ledger.open(options)
  await ledger.record({ kind: 'account', slot: 0, id: 'a', email: 'a@example.org' }, credit)
  const second = { ...opening, slot: 1 }
  t.throws(() => ledger.append([second, { ...credit, account: 1 }]), /used twice/)
  await ledger.record(second, { ...credit, account: 1, reference: 'new' })
  await ledger.close()
  const again = await Ledger.open(options)
  t.equal(again.book.accounts.size, 2)
  t.equal(again.book.account(1).creditedMicros, 1000)
  await again.close()
})
