/**
 * Payloads with changed bytes and a valid CRC. `MUTATED_EVENTS` sets the number; nightly 2,000,000. Then frames with a valid CRC, chain
 * and sequence number, but with a payload that our writer never writes.
 */
import { strict as assert } from 'node:assert'
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { Book } from '../../../src/billing/ledger/book/book.ts'
import { balanceMicros } from '../../../src/billing/ledger/book/record.ts'
import { ledgerFolder, listLedger } from '../../../src/billing/ledger/disk/files.ts'
import { nodeFileSystem } from '../../../src/billing/ledger/disk/node-file-system.ts'
import { decodePayload, encodePayload, type LedgerEvent } from '../../../src/billing/ledger/event.ts'
import { FILE_HEADER_BYTES } from '../../../src/billing/ledger/log/file-header.ts'
import { encodeBatch, readFrames } from '../../../src/billing/ledger/log/frame.ts'
import { packValue } from '../../../src/billing/ledger/plain-message-pack.ts'
import { addPayload, payloadsOf } from '../../../src/billing/ledger/snapshot/snapshot.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { openAccounts } from '../../support/accounts.ts'
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

const ENTRY = { account: 0, reference: 'forged', note: '' }
const CREDIT = { kind: 'credit', ...ENTRY, micros: 5, debtPaidMicros: 0, credit: 'operator' }
const MEMBER = { kind: 'member', account: 0, person: 0, role: 'owner', invitation: null, by: 'x' }
const RULES = { kind: 'rules', key: 1, expiresMs: null, limits: null, endpoints: null, addresses: null }

const FORGED: Record<string, unknown> = {
  'a time that is not a number': [Number.NaN, CREDIT],
  'a time beyond any date': [1e300, CREDIT],
  'a negative time': [-1, CREDIT],
  'a negative cap': [NOW, { kind: 'cap', key: 1, micros: -1 }],
  'an expiry beyond any date': [NOW, { ...RULES, expiresMs: 1e300 }],
  'an address that is not one': [NOW, { ...RULES, addresses: ['10.0.0.0/33'] }],
  'too many addresses': [NOW, { ...RULES, addresses: new Array(33).fill('10.0.0.0/8') }],
  'an overlap without a roll': [NOW, { kind: 'overlap', key: 1, untilMs: NOW }],
  'an unknown kind of credit': [NOW, { ...CREDIT, credit: 'zz' }],
  'an unknown kind of adjustment': [
    NOW,
    { kind: 'adjust', account: 0, micros: 5, takenMicros: 5, adjust: 'zz', reference: 'x', note: '' },
  ],
  'a debt beside a balance': [
    NOW,
    { kind: 'adjust', account: 0, micros: 6, takenMicros: 5, adjust: 'refund', reference: 'x', note: '' },
  ],
  'a closed account with a balance': [
    NOW,
    { kind: 'closed', account: 0, takenMicros: 5, reference: 'x', reason: 'x', by: 'x' },
  ],
  'a role that is none': [NOW, { ...MEMBER, role: 'root' }],
  'a member that is a key': [NOW, { ...MEMBER, person: 1 }],
  'an invitation that nobody made': [NOW, { ...MEMBER, invitation: 'inv_x' }],
  'an account without an owner': [NOW, { ...MEMBER, role: null }],
  'the end of an invitation that nobody made': [NOW, { kind: 'uninvited', account: 0, invitation: 'inv_x' }],
  'an event that is null': [NOW, null],
  'a payload that is not an array': 5,
  'usage of half a query': [NOW, usage([1, 28, 0, 0.5])],
  'usage of a negative count': [NOW, usage([1, 28, 0, -1])],
  'usage with a slot of text': [NOW, usage(['1', 28, 0, 1])],
  'usage of no number': [NOW, usage([1, 28, 0, Number.NaN])],
  'usage of a class without its count': [NOW, usage([1, 28, 0])],
  'usage of a class beyond all': [NOW, usage([1, 28, 16, 1])],
  'usage of a class twice': [NOW, usage([1, 28, 3, 1, 3, 1])],
}

function usage(...rows: unknown[]) {
  return { kind: 'usage', rows }
}

/** Writes a ledger with account 0 and key 1. Its last frame has `payload`, if given. */
async function ledgerWith(t: Test, payload?: Buffer): Promise<string> {
  const dir = t.testdir()
  const accounts = await openAccounts({ dir })
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  await accounts.createKey(id)
  await accounts.close()
  rmSync(join(ledgerFolder(dir), 'meter'))
  if (payload === undefined) return dir
  const path = await lastSegment(dir)
  const bytes = readFileSync(path)
  const chain = { sequence: 0, crc: 0, epoch: 0 }
  readFrames(bytes.subarray(FILE_HEADER_BYTES), FILE_HEADER_BYTES, chain, () => {})
  writeFileSync(path, Buffer.concat([bytes, encodeBatch([payload], chain)]))
  return dir
}

async function lastSegment(dir: string): Promise<string> {
  const { segments } = await listLedger(nodeFileSystem, ledgerFolder(dir))
  return segments.at(-1)?.path ?? ''
}

t.test('a valid payload is accepted', async t => {
  t.match(await verifyLedger(await ledgerWith(t, packValue([NOW, CREDIT]))), { status: 'sound' })
})

for (const [name, payload] of Object.entries(FORGED)) {
  t.test(`${name} is refused as damage`, async t => {
    const dir = await ledgerWith(t, packValue(payload))
    const { status, problems } = await verifyLedger(dir)
    t.equal(status, 'damaged')
    t.match(problems.at(-1), /an impossible entry: /)
    await t.rejects(openAccounts({ dir }), { code: 'DAMAGED' })
  })
}

t.test('a pipe in place of a file is refused without waiting', async t => {
  for (const name of ['segment', 'meter']) {
    const dir = await ledgerWith(t)
    const path = name === 'meter' ? join(ledgerFolder(dir), 'meter') : await lastSegment(dir)
    rmSync(path, { force: true })
    execFileSync('mkfifo', [path])
    const expected = /found a pipe, a device or a folder, expected a regular file/
    t.match(await verifyLedger(dir), { status: 'damaged', problems: [expected] })
    await t.rejects(openAccounts({ dir }), { code: 'DAMAGED', message: expected })
    rmSync(path)
  }
})
