import { readdirSync } from 'node:fs'
import t, { type Test } from 'tap'
import { Accounts } from '../../../src/billing/accounts/accounts.ts'
import { compactLedger } from '../../../src/billing/ledger/tools/compact.ts'
import { type LedgerEntry, showLedger } from '../../../src/billing/ledger/tools/show.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { CHARGED } from '../../../src/service/endpoints/table.ts'
import { until } from '../../support/until.ts'
import { authenticate } from './expectation.ts'

const SMALL = { segmentBytesMax: 4096, accountsMax: 500, keysMax: 500 }

/** Accounts with some hundred entries over several segments. */
async function fillLedger(
  t: Test,
): Promise<{ dir: string; accountId: string; keyId: string; secret: string }> {
  const dir = t.testdir()
  const accounts = await Accounts.open({ usageClasses: CHARGED, ...SMALL, dir })
  const { id: accountId } = await accounts.createAccount({ email: 'ada@example.org' })
  const { id: keyId, key: secret } = await accounts.createKey(accountId, { label: 'one' })
  const key = authenticate(accounts, secret)
  for (let count = 0; count < 100; count++) {
    if (key === undefined || !accounts.charging.charge(key, 0, 1)) throw new Error('not charged')
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

t.test('a full segment starts the next one, and the worker takes snapshots', async t => {
  const { dir, accountId } = await fillLedger(t)
  const names = readdirSync(`${dir}/ledger`)
  t.ok(names.filter(name => name.endsWith('.segment')).length >= 3, names.join(' '))
  const snapshots = (): number =>
    readdirSync(`${dir}/ledger`).filter(name => name.endsWith('.snapshot')).length
  t.ok([1, 2, 3].includes(snapshots()), 'at most two that are kept, and the closing one, not read back yet')
  t.match(await verifyLedger(dir), {
    status: 'sound',
    baseSequence: 0,
    accounts: 1,
    keys: 1,
    creditedMicros: 29_000,
    spentMicros: 2800,
    balanceMicros: 26_200,
    problems: [],
  })
  const notices: string[] = []
  const accounts = await Accounts.open({ usageClasses: CHARGED, dir, onNotice: note => notices.push(note) })
  t.equal(accounts.account(accountId)?.balanceMicros, 26_200)
  await until(() => snapshots() <= 2)
  await accounts.close()
  t.same(notices, [])
  t.ok(snapshots() <= 3, 'a start proves the newest two and removes the others; its end adds one')
})

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
  const accounts = await Accounts.open({ usageClasses: CHARGED, ...SMALL, dir })
  const again = { account: accountId, micros: 10, reference: 'r-7', kind: 'test' } as const
  t.same(await accounts.credit(again), { applied: false, balanceMicros: 26_200, debtMicros: 0 })
  t.ok(authenticate(accounts, secret))
  t.match(accounts.usage(accountId, { by: 'day' }).at(-1), { queries: { lookup: 100 } })
  await accounts.credit({ ...again, reference: 'new' })
  await accounts.close()
  t.match(await verifyLedger(dir), { status: 'sound', balanceMicros: 26_210 })
  t.ok((await entriesOf(showLedger(dir))).some(({ details }) => details.reference === 'new'))
})

t.test('verify accepts an empty folder', async t => {
  t.match(await verifyLedger(t.testdir()), { status: 'sound', frames: 0, accounts: 0 })
})
