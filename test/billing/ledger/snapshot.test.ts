import { readFileSync, statSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { Book } from '../../../src/billing/ledger/book/book.ts'
import { ledgerFolder, listLedger } from '../../../src/billing/ledger/disk/files.ts'
import { nodeFileSystem } from '../../../src/billing/ledger/disk/node-file-system.ts'
import { PAYLOAD_BYTES_MAX } from '../../../src/billing/ledger/log/frame.ts'
import { unpackOwn } from '../../../src/billing/ledger/plain-message-pack.ts'
import {
  digestOf,
  payloadsOf,
  readSnapshot,
  writeSnapshot,
} from '../../../src/billing/ledger/snapshot/snapshot.ts'
import { removeCovered } from '../../../src/billing/ledger/snapshot/snapshots.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { openAccounts } from '../../support/accounts.ts'
import { everyEvent } from './every-event.ts'

/** Fields of the items of version 1. */
const STORED_FIELDS = {
  account:
    'slot id email createdMs limits lowBalanceMicros note standing identities creditedMicros spentMicros debtMicros team',
  entry: 'account entry',
  key: 'slot id account createdMs label start hash revokedMs capMicros rules rolled queries spentMicros lastUsedMs hours days offMs earlierStarts',
}
const STORED_DIGEST = '1465c7d283edc3123655a59ed026346397c953fa64369dea6aa59575d4f7f3c3'

const ANCHOR = { sequence: 7, crc: 1, epoch: 2, ledgerId: Buffer.alloc(16, 9) }
const NOTE = 'n'.repeat(256)

/** Opens accounts in slots 0, 2, 4… with a key each, and `credits` credits of the first. */
function bookOf(accounts: number, credits: number, note = NOTE): Book {
  const book = new Book()
  for (let index = 0; index < accounts; index++) {
    const slot = index * 2
    book.apply({ kind: 'account', slot, id: `acct_${index}`, email: `${index}@example.org` }, 1, 1)
    const hash = `hash ${index}`
    const key = { slot: slot + 1, id: `key_${index}`, account: slot, label: '', start: 'pk_live_0000', hash }
    book.apply({ kind: 'key', ...key }, 1, 1)
    book.apply({ kind: 'identity', account: slot, issuer: 'https://id.example', subject: `${index}` }, 1, 1)
  }
  for (let index = 0; index < credits; index++) {
    const reference = `reference ${index}`
    const credit = { account: 0, micros: 1e3, debtPaidMicros: 0, credit: 'payment', reference, note } as const
    book.apply({ kind: 'credit', ...credit }, index, index)
  }
  const spentMicros = 4 * (credits > 0 ? 28 : 0)
  book.apply({ kind: 'usage', rows: [{ key: 1, queries: [3, 0, 1], spentMicros }] }, 5, 5)
  return book
}

t.test('a snapshot splits an account with too many credits for a frame', async t => {
  const folder = t.testdir()
  const book = bookOf(3, 60_000)
  const path = await writeSnapshot(nodeFileSystem, folder, ANCHOR, book, 0)
  t.ok(statSync(path).size > PAYLOAD_BYTES_MAX)
  const found = await readSnapshot(nodeFileSystem, { path, sequence: 7 })
  t.same(found.anchor, ANCHOR)
  t.equal(found.book.references.size, 60_000)
  t.equal(found.book.account(0).entries.length, 60_000)
  t.same(found.book.account(0).entries.at(-1), book.account(0).entries.at(-1))
  t.equal(found.book.account(2).entries.length, 0)
  t.ok(digestOf(found.book).equals(digestOf(book)), 'nothing of the book is missing')
  for (const payload of payloadsOf(book)) t.ok(payload.length < PAYLOAD_BYTES_MAX / 16)
})

t.test('the stored form of a snapshot changes only with its version', t => {
  const book = new Book()
  for (const [at, events] of everyEvent(1_700_000_000_000).entries())
    book.transact(events, 1_700_000_000_000 + at, at + 1)
  const fields = new Map<string, string>()
  for (const payload of payloadsOf(book))
    for (const { item, ...others } of unpackOwn(payload) as Record<string, unknown>[])
      fields.set(`${item}`, Object.keys(others).join(' '))
  t.same(Object.fromEntries(fields), STORED_FIELDS)
  t.equal(digestOf(book).toString('hex'), STORED_DIGEST)
  t.end()
})

/** Writes a closed ledger of some segments with snapshots. */
async function fillLedger(t: Test) {
  const dir = t.testdir()
  const accounts = await openAccounts({ dir, segmentBytesMax: 2048 })
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  for (let count = 0; count < 40; count++)
    await accounts.credit({ account: id, micros: 10, reference: `r-${count}`, kind: 'test' })
  await accounts.close()
  return { dir, folder: ledgerFolder(dir) }
}

t.test('compaction deletes nothing if snapshots cannot be read back', async t => {
  const { folder } = await fillLedger(t)
  const files = await listLedger(nodeFileSystem, folder)
  for (const { path } of files.snapshots) {
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.subarray(0, bytes.length - 1))
  }
  const notices: string[] = []
  const onNotice = (notice: string) => notices.push(notice)
  const removed = await removeCovered(nodeFileSystem, folder, 1, onNotice, 1)
  t.same(removed, { segments: 0, bytes: 0 })
  t.same(await listLedger(nodeFileSystem, folder), files)
  t.match(
    notices,
    files.snapshots.map(({ path }) => `a snapshot is damaged, so the files that it covers are kept: ${path}`),
  )
})

t.test('verify compares debts', async t => {
  const { dir, folder } = await fillLedger(t)
  const { snapshots } = await listLedger(nodeFileSystem, folder)
  for (const snapshot of snapshots) {
    const { book, anchor } = await readSnapshot(nodeFileSystem, snapshot)
    book.account(0).debtMicros = 5
    await writeSnapshot(nodeFileSystem, folder, anchor, book, 0)
  }
  const { status, problems } = await verifyLedger(dir)
  t.equal(status, 'damaged')
  t.match(problems[0], /snapshot \d+ differs from the sum of the entries up to it/)
})
