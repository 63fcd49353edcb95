/** An event that the book refuses leaves it as it was. */
import t from 'tap'
import { Book } from '../../src/ledger/book/book.ts'
import { Tally } from '../../src/ledger/book/tally.ts'
import type { LedgerEvent } from '../../src/ledger/event.ts'
import { packRecord } from '../../src/ledger/snapshot/stored-record.ts'
import { Bench } from '../accounts/support.ts'

const credit = {
  kind: 'credit',
  account: 0,
  micros: 1000,
  debtPaidMicros: 0,
  credit: 'test',
  reference: 'r',
  note: '',
} as const

function filled(): Book {
  const book = new Book()
  book.transact([{ kind: 'account', slot: 0, id: 'a', email: 'a@example.org' }, credit], 1, 1)
  book.apply({ kind: 'identity', account: 0, issuer: 'i', subject: 's' }, 2, 2)
  for (const slot of [1, 2]) {
    book.apply({ kind: 'key', slot, id: `k${slot}`, account: 0, label: '', start: '', hash: '' }, 3, 3)
  }
  book.apply({ kind: 'usage', rows: [1, 1, 2, 56] }, 4, 4)
  return book
}

/** Everything that a book holds, as plain values. */
function contentOf(book: Book): unknown {
  return structuredClone([
    book.slots.map(record => Buffer.from(packRecord(record))),
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
  'an adjustment beyond the balance': [
    {
      kind: 'adjust',
      account: 0,
      micros: 2000,
      takenMicros: 2000,
      adjust: 'refund',
      reference: 'x',
      note: '',
    },
  ],
  'a credit that pays more than the debt': [{ ...credit, reference: 'x', debtPaidMicros: 1 }],
  'a credit with a reference that is used': [credit],
  'usage whose second row is beyond the balance': [{ kind: 'usage', rows: [1, 1, 5, 140, 2, 1, 99, 2772] }],
  'usage whose second row has no key': [{ kind: 'usage', rows: [1, 1, 5, 140, 9, 1, 1, 28] }],
  'usage whose second row is cut short': [{ kind: 'usage', rows: [1, 1, 5, 140, 2, 1] }],
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

t.test('a command that the book refuses leaves no trace in the ledger', async t => {
  const bench = await Bench.create()
  const { accounts, accountId } = bench
  // The free credit of every account has a reference of its own; here every new one is taken already.
  const { book } = (accounts as unknown as { ledger: { book: Book } }).ledger
  const has = book.references.has.bind(book.references)
  book.references.has = reference => reference.startsWith('free:') || has(reference)
  await t.rejects(accounts.createAccount({ email: 'eve@example.org' }), /used twice/)
  book.references.has = has
  t.equal(accounts.listAccounts().length, 1)
  t.ok(await accounts.createAccount({ email: 'eve@example.org' }), 'the address is free')
  await bench.restart()
  t.equal(bench.accounts.listAccounts().length, 2)
  t.equal(bench.accounts.account(accountId)?.balanceMicros, 28_000)
})

t.test('the tally adds up debts as well', async t => {
  const book = filled()
  const tally = new Tally(book)
  const adjust: LedgerEvent = {
    kind: 'adjust',
    account: 0,
    micros: 5000,
    takenMicros: 944,
    adjust: 'dispute',
    reference: 'd',
    note: '',
  }
  t.equal(tally.add(adjust), null)
  book.apply(adjust, 5, 5)
  t.same(tally.compare(book), [])
  book.account(0).debtMicros++
  t.match(tally.compare(book), [/leave a debt of 4056, the book has 4057/])
})
