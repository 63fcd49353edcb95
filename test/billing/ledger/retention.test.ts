/**
 * Writes a ledger until its oldest entries are long deleted, and compares it with a model. Nightly:
 *
 *   RETENTION_EVENTS=5000000 RETENTION_KEYS=2000 node dist/test/billing/ledger/retention.test.js
 */
import { readdirSync } from 'node:fs'
import t from 'tap'
import { ledgerFolder, listLedger } from '../../../src/billing/ledger/disk/files.ts'
import { nodeFileSystem } from '../../../src/billing/ledger/disk/node-file-system.ts'
import { type UsageRow, usageEvents } from '../../../src/billing/ledger/event.ts'
import { type Ledger, openLedger } from '../../../src/billing/ledger/ledger.ts'
import { COUNTS, ROW_CELLS, storedCount } from '../../../src/billing/ledger/meter/meter-layout.ts'
import { compactLedger } from '../../../src/billing/ledger/tools/compact.ts'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { type Random, seededChoices } from '../../support/random.ts'
import { until } from '../../support/until.ts'

t.setTimeout(3_600_000)

const EVENTS = Number(process.env.RETENTION_EVENTS ?? 200_000)
/** Half of the keys belong to the first account. */
const KEYS = Number(process.env.RETENTION_KEYS ?? 200)
const ACCOUNTS = 2
const LIVES = 4
const SEGMENT_BYTES_MAX = 32 * 1024
/** Usage rows of one event, and events between two waits for the disk. */
const ROWS_MAX = 40
const EVENTS_PER_WAIT = 500

const slotOf = (key: number): number => ACCOUNTS + key
const accountOf = (key: number): number => (key < KEYS / 2 ? 0 : 1)

t.test('balances, usage and references stay while segments and snapshots come and go', async t => {
  const dir = t.testdir()
  const random = seededChoices(1)
  const queries = new Array<number>(KEYS).fill(0)
  const credits = new Map<string, number>()
  const begun = new Set<string>()
  const files = () => listLedger(nodeFileSystem, ledgerFolder(dir))
  const open = (): Promise<Ledger> =>
    openLedger({
      dir,
      segmentBytesMax: SEGMENT_BYTES_MAX,
      segmentsKept: 2,
      onNotice: t.fail,
    })
  const expectModel = ({ book }: Ledger): void => {
    const spent = new Array<number>(ACCOUNTS).fill(0)
    for (const [key, count] of queries.entries()) {
      if (book.key(slotOf(key)).queries[0] !== count) t.fail(`key ${key} has not ${count} queries`)
      spent[accountOf(key)] += count * QUERY_PRICE_MICROS
    }
    t.same(
      spent.map((_, slot) => book.account(slot).spentMicros),
      spent,
    )
    const found = [...book.references].map(([reference, { entry }]) => [reference, entry.balanceMicros])
    t.same(Object.fromEntries(found), Object.fromEntries(credits))
  }
  for (let life = 0; life < LIVES; life++) {
    const ledger = await open()
    if (life === 0) await create(ledger, credits)
    expectModel(ledger)
    for (let written = 0; written < EVENTS / LIVES; ) {
      for (let count = 0; count < EVENTS_PER_WAIT; count++)
        written += append(ledger, random, queries, credits)
      await ledger.untilDurable()
      for (const { path } of (await files()).segments) begun.add(path)
    }
    // The end of a service abandons the snapshot in progress.
    const left = () => readdirSync(ledgerFolder(dir)).filter(name => name.endsWith('.segment')).length
    if (life === LIVES - 1) await until(() => left() < begun.size / 2)
    await ledger.close()
    const { status, problems } = await verifyLedger(dir)
    t.equal(status, 'sound', problems.join('; '))
  }
  const { segments, snapshots } = await files()
  t.ok(begun.size >= 20, `${begun.size} segments were begun`)
  t.ok(segments.length < begun.size / 2, `${segments.length} are left`)
  t.ok(snapshots.length <= 4, `${snapshots.length} snapshots are left`)
  await compactLedger(dir)
  const last = await open()
  expectModel(last)
  await last.close()
})

async function create(ledger: Ledger, credits: Map<string, number>): Promise<void> {
  for (let slot = 0; slot < ACCOUNTS; slot++) {
    ledger.append([{ kind: 'account', slot, id: `acct_${slot}`, email: `${slot}@example.org` }])
    credit(ledger, slot, 1e14, credits)
  }
  for (let key = 0; key < KEYS; key++) {
    const names = { id: `key_${key}`, label: '', start: 'pk_live_0000', hash: `${key}` }
    ledger.append([{ kind: 'key', slot: slotOf(key), account: accountOf(key), ...names }])
  }
  await ledger.untilDurable()
  await ledger.meter.reserve(ACCOUNTS + KEYS)
}

function credit(ledger: Ledger, account: number, micros: number, credits: Map<string, number>): void {
  const reference = `credit ${credits.size}`
  const fields = { micros, debtPaidMicros: 0, credit: 'test', reference, note: 'a note' } as const
  ledger.append([{ kind: 'credit', account, ...fields }])
  credits.set(reference, micros)
}

/** Appends one event: usage of some keys, or sometimes a credit. Returns its number of entries. */
function append(ledger: Ledger, random: Random, queries: number[], credits: Map<string, number>): number {
  if (random.chance(0.1)) {
    credit(ledger, random.below(ACCOUNTS), 1 + random.below(1000), credits)
    return 1
  }
  const rows: UsageRow[] = []
  const first = random.below(KEYS)
  for (let index = random.below(ROWS_MAX); index >= 0; index--) {
    const key = (first + index) % KEYS
    queries[key] += 1 + random.below(5)
    ledger.meter.rows.cells[slotOf(key) * ROW_CELLS + COUNTS] = storedCount(queries[key])
    rows.push({ key: slotOf(key), queries: [queries[key]], spentMicros: queries[key] * QUERY_PRICE_MICROS })
  }
  for (const event of usageEvents(rows)) ledger.append([event])
  return rows.length
}
