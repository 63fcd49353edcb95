import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Book } from '../../../src/billing/ledger/book/book.ts'
import { ledgerFolder, listLedger } from '../../../src/billing/ledger/disk/files.ts'
import { nodeFileSystem } from '../../../src/billing/ledger/disk/node-file-system.ts'
import { encodePayload } from '../../../src/billing/ledger/event.ts'
import { encodeFileHeader, SEGMENT_MAGIC } from '../../../src/billing/ledger/log/file-header.ts'
import { encodeBatch, PAYLOAD_BYTES_MAX } from '../../../src/billing/ledger/log/frame.ts'
import { unpackOwn } from '../../../src/billing/ledger/plain-message-pack.ts'
import {
  digestOf,
  payloadsOf,
  readSnapshot,
  writeSnapshot,
} from '../../../src/billing/ledger/snapshot/snapshot.ts'
import { removeCovered } from '../../../src/billing/ledger/snapshot/snapshots.ts'
import { compactLedger } from '../../../src/billing/ledger/tools/compact.ts'
import { type LedgerEntry, showLedger } from '../../../src/billing/ledger/tools/show.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { CHARGED } from '../../../src/service/endpoints/table.ts'
import { authenticate, charge, openAccounts } from '../../support/accounts.ts'
import { AccountsFixture } from '../accounts/accounts-fixture.ts'
import { everyEvent } from './every-event.ts'
import { settleDisk } from './life.ts'

const SMALL = { segmentBytesMax: 4096 }

/** Accounts with some hundred entries over several segments. */
async function fillLedger(t: Test) {
  const dir = t.testdir()
  const accounts = await openAccounts({ ...SMALL, dir })
  const { id: accountId } = await accounts.createAccount({ email: 'ada@example.org' })
  const { id: keyId, secret } = await accounts.createKey(accountId, { label: 'one' })
  for (let count = 0; count < 100; count++) {
    charge(accounts, secret)
    await accounts.credit({ account: accountId, micros: 10, reference: `r-${count}`, kind: 'test' })
  }
  await accounts.close()
  return { dir, accountId, keyId, secret }
}

async function entriesOf(entries: AsyncIterable<LedgerEntry>): Promise<LedgerEntry[]> {
  const found: LedgerEntry[] = []
  for await (const entry of entries) found.push(entry)
  return found
}

t.test('show lists every entry by account, key and time, and the amounts add up', async t => {
  const { dir, accountId, keyId } = await fillLedger(t)
  const all = await entriesOf(showLedger(dir))
  const kinds = all.slice(0, 4).map(({ kind }) => kind)
  t.same(kinds, ['open', 'account', 'credit', 'key'])
  t.equal(
    all.reduce((sum, { micros }) => sum + micros, 0),
    26_200,
  )
  t.ok(all.every(({ sequence }, index) => sequence >= (all[index - 1]?.sequence ?? 0)))
  const ofKey = await entriesOf(showLedger(dir, { key: keyId }))
  t.ok(ofKey.every(({ key, kind }) => key === keyId && ['key', 'usage'].includes(kind)))
  t.equal((await entriesOf(showLedger(dir, { account: accountId }))).length, all.length - 1)
  t.same(await entriesOf(showLedger(dir, { toMs: 1 })), [])
  t.doesNotThrow(() => JSON.stringify(all))
})

t.test('compact leaves one segment with all balances and references', async t => {
  const { dir, accountId, secret } = await fillLedger(t)
  const report = await compactLedger(dir)
  t.match(report, { keptSegments: 1 })
  t.ok(report.removedSegments >= 2 && report.removedBytes > 8192)
  t.match(await verifyLedger(dir), {
    status: 'sound',
    baseSequence: report.snapshotSequence,
    balanceMicros: 26_200,
  })
  const accounts = await openAccounts({ ...SMALL, dir })
  const again = { account: accountId, micros: 10, reference: 'r-7', kind: 'test' } as const
  t.same(await accounts.credit(again), { applied: false, balanceMicros: 26_200, debtMicros: 0 })
  t.ok(authenticate(accounts, secret))
  t.match(accounts.usage(accountId, { by: 'day' }).at(-1), { queries: { lookup: 100 } })
  await accounts.credit({ ...again, reference: 'new' })
  await accounts.close()
  t.match(await verifyLedger(dir), { status: 'sound', balanceMicros: 26_210 })
  t.ok((await entriesOf(showLedger(dir))).some(({ details }) => details.reference === 'new'))
})

t.test('a service removes old segments, and keeps all balances and references', async t => {
  const options = { usageClasses: CHARGED, ...SMALL, segmentsKept: 1, dir: t.testdir() }
  let accounts = await openAccounts(options)
  const { id: account } = await accounts.createAccount({ email: 'ada@example.org' })
  const credit = (nth: number) =>
    accounts.credit({ account, micros: 10, reference: `r-${nth}`, kind: 'test' })
  const segments = () => readdirSync(join(options.dir, 'ledger')).filter(name => name.endsWith('.segment'))
  const [first] = segments()
  let credits = 0
  while (credits < 10 || segments().includes(first)) await credit(credits++)
  const balanceMicros = 28_000 + 10 * credits
  await accounts.close()
  t.match(await verifyLedger(options.dir), { status: 'sound', balanceMicros })
  accounts = await openAccounts(options)
  t.match(await credit(7), { applied: false, balanceMicros })
  await accounts.close()
})

t.test('verify accepts an empty folder', async t => {
  t.match(await verifyLedger(t.testdir()), { status: 'sound', frames: 0, accounts: 0 })
})

t.test('the code writes the worked example of FORMAT.md', async t => {
  const TIME_MS = 1_700_000_000_000
  const ledgerId = Buffer.alloc(16, 7)
  const header = { epoch: 1, ledgerId, sequence: 1, chainCrc: 0, createdMs: TIME_MS }
  const rows = [{ key: 1, queries: [3, 0, 1], spentMicros: 112 }]
  const chain = { sequence: 0, crc: 0, epoch: 1 }
  const segment = Buffer.concat([
    encodeFileHeader(SEGMENT_MAGIC, header),
    encodeBatch([encodePayload(TIME_MS, [{ kind: 'open' }])], chain),
    encodeBatch([encodePayload(TIME_MS + 5, [{ kind: 'usage', rows }])], chain),
  ])
  const format = readFileSync(new URL('../../../../src/billing/ledger/FORMAT.md', import.meta.url), 'utf8')
  const example = /```\n((?:[0-9a-f]{2} [^`]+)+)```/.exec(format)?.[1] ?? ''
  const bytes = example.split('\n').flatMap(line => line.slice(0, 26).match(/\b[0-9a-f]{2}\b/g) ?? [])
  t.equal(bytes.join(''), segment.toString('hex'))
})

t.test('counts beyond 32 bits survive the process in every class', async t => {
  const fixture = await AccountsFixture.create()
  const { accounts, accountId, keyId } = fixture
  await accounts.credit({ account: accountId, micros: 10 ** 12, reference: 'r', kind: 'test' })
  const key = fixture.key()
  const most = 2 ** 30
  for (let count = 0; count < 5; count++) t.equal(accounts.charging.charge(key, 9, most), null)
  t.match(accounts.key(keyId), { queries: { format: 5 * most } }, 'before any flush')
  await fixture.restart()
  t.match(fixture.accounts.key(keyId), { queries: { format: 5 * most } }, 'from the meter alone')
  t.equal(fixture.accounts.charging.charge(fixture.key(), 0, 1), null)
  fixture.clock.advance(1000)
  await settleDisk()
  await fixture.restart()
  t.match(fixture.accounts.key(keyId), { queries: { format: 5 * most, lookup: 1 } })
})

const withoutProc = process.platform !== 'linux' && 'needs /proc'
t.test('a million reserved accounts and keys take no memory and no disk', { skip: withoutProc }, async t => {
  const rssKb = () => Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1])
  const dir = t.testdir()
  const before = rssKb()
  const accounts = await openAccounts({ dir })
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  const { secret } = await accounts.createKey(id)
  charge(accounts, secret)
  t.ok(rssKb() - before < 32 * 1024, `${rssKb() - before} KB`)
  const { size, blocks } = statSync(join(dir, 'ledger', 'meter'))
  t.ok(size < 64 * 1024 && blocks * 512 < 64 * 1024, `${size} bytes, ${blocks} blocks`)
  await accounts.close()
  t.equal(accounts.account(id)?.balanceMicros, 27_972)
})

/** Fields of the items of version 1. */
const STORED_FIELDS = {
  account:
    'slot id email createdMs limits lowBalanceMicros note standing identities creditedMicros spentMicros debtMicros team',
  entry: 'account entry',
  key: 'slot id account createdMs label start hash revokedMs capMicros rules previous queries spentMicros lastUsedMs hours days offMs previousStarts',
}
const STORED_DIGEST = 'ad650d0332d724ed9324fbd40ea6b22d034207d727c058a5652866a07e7022b0'

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

t.test('compaction deletes nothing if snapshots cannot be read back', async t => {
  const folder = ledgerFolder((await fillLedger(t)).dir)
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
  const { dir } = await fillLedger(t)
  const folder = ledgerFolder(dir)
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
