/**
 * A ledger that is written until its oldest entries are long deleted, and a model of what it must still say. A process
 * of its own for the nightly run; the test calls `runRetention` with less.
 *
 *   node dist/test/ledger/retention.js [events] [segment bytes] [keys] [lives]
 *
 * Nightly: `node dist/test/ledger/retention.js 5000000 262144 2000 10`, two to three minutes, 270 segments.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ledgerFolder, listLedger } from '../../src/ledger/disk/files.ts'
import { nodeFileSystem } from '../../src/ledger/disk/node-file-system.ts'
import { Ledger } from '../../src/ledger/ledger.ts'
import { compactLedger } from '../../src/ledger/tools/compact.ts'
import { verifyLedger } from '../../src/ledger/tools/verify.ts'
import { appendUsageRow, usageEvents } from '../../src/ledger/usage-rows.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { type Random, seededRandom } from './random.ts'

export interface RetentionOptions {
  events: number
  segmentBytesMax: number
  /** Half of them belong to the first account. */
  keys: number
  /** How often the ledger is closed and opened again. */
  lives: number
}

export interface RetentionReport {
  entries: number
  /** Segments that were ever begun, by their first numbers, and those left at the end. */
  segmentsBegun: number
  segmentsLeft: number
  snapshotsLeft: number
  references: number
  /** Sentences for whatever is not as the model says; empty when all is well. */
  problems: string[]
}

const SEGMENTS_KEPT = 2
/** Usage rows of one event, and events between two waits for the disk. */
const ROWS_MAX = 40
const EVENTS_PER_WAIT = 500

/** What the ledger must say, in plain sums. */
class Model {
  readonly queries: number[]
  readonly credits = new Map<string, number>()
  entries = 0

  constructor(keys: number) {
    this.queries = new Array<number>(keys).fill(0)
  }

  differences(ledger: Ledger, accountOf: (key: number) => number): string[] {
    const problems: string[] = []
    const { book } = ledger
    const spent = new Map<number, number>()
    for (const [key, queries] of this.queries.entries()) {
      const found = book.key(slotOf(key)).queries[0]
      if (found !== queries) problems.push(`key ${key} has ${found} queries, not ${queries}`)
      spent.set(accountOf(key), (spent.get(accountOf(key)) ?? 0) + queries * QUERY_PRICE_MICROS)
    }
    for (const [slot, micros] of spent) {
      const found = book.account(slot).spentMicros
      if (found !== micros) problems.push(`account ${slot} has spent ${found}, not ${micros}`)
    }
    if (book.references.size !== this.credits.size)
      problems.push(`${book.references.size} references, not ${this.credits.size}`)
    for (const [reference, micros] of this.credits) {
      const found = book.references.get(reference)?.entry.balanceMicros
      if (found !== micros) problems.push(`${reference} is ${found}, not ${micros}`)
    }
    return problems
  }
}

const ACCOUNTS = 2
const slotOf = (key: number): number => ACCOUNTS + key

export async function runRetention(dir: string, options: RetentionOptions): Promise<RetentionReport> {
  const { keys, lives } = options
  const random = seededRandom(1)
  const model = new Model(keys)
  const accountOf = (key: number): number => (key < keys / 2 ? 0 : 1)
  const problems: string[] = []
  const begun = new Set<string>()
  for (let life = 0; life < lives; life++) {
    const ledger = await open(dir, options, problems)
    if (life === 0) await create(ledger, keys, accountOf, model)
    problems.push(...model.differences(ledger, accountOf))
    const events = Math.ceil(options.events / lives)
    for (let written = 0; written < events; ) {
      for (let count = 0; count < EVENTS_PER_WAIT && written < events; count++) {
        written += append(ledger, random, model)
      }
      await ledger.settled()
      for (const { path } of (await listLedger(nodeFileSystem, ledgerFolder(dir))).segments) begun.add(path)
    }
    // Every other life but the last ends as a service does, which abandons the snapshot in progress.
    await (life % 2 === 0 || life === lives - 1 ? ledger.close(async () => {}) : ledger.close())
    const { status, problems: found } = await verifyLedger(dir)
    if (status !== 'sound') problems.push(`life ${life} is ${status}`, ...found)
  }
  const { segments, snapshots } = await listLedger(nodeFileSystem, ledgerFolder(dir))
  await compactLedger(dir)
  const last = await open(dir, options, problems)
  problems.push(...model.differences(last, accountOf))
  await last.close()
  return {
    entries: model.entries,
    segmentsBegun: begun.size,
    segmentsLeft: segments.length,
    snapshotsLeft: snapshots.length,
    references: model.credits.size,
    problems,
  }
}

function open(dir: string, { segmentBytesMax }: RetentionOptions, problems: string[]): Promise<Ledger> {
  return Ledger.open({
    dir,
    priceMicros: QUERY_PRICE_MICROS,
    segmentBytesMax,
    segmentsKept: SEGMENTS_KEPT,
    onFail: error => problems.push(error.message),
    onNotice: notice => problems.push(notice),
  })
}

async function create(
  ledger: Ledger,
  keys: number,
  accountOf: (key: number) => number,
  model: Model,
): Promise<void> {
  for (let slot = 0; slot < ACCOUNTS; slot++) {
    const reference = `start ${slot}`
    const credit = { micros: 1e14, debtPaidMicros: 0, credit: 'test', reference, note: '' } as const
    ledger.append([
      { kind: 'account', slot, id: `acct_${slot}`, email: `${slot}@example.org` },
      { kind: 'credit', account: slot, ...credit },
    ])
    model.credits.set(reference, 1e14)
  }
  for (let key = 0; key < keys; key++) {
    const names = { id: `key_${key}`, label: '', start: 'pk_live_0000', hash: `${key}` }
    ledger.append([{ kind: 'key', slot: slotOf(key), account: accountOf(key), ...names }])
  }
  await ledger.settled()
}

/** One event of usage of some keys, or now and then a credit. Returns how many entries it counts. */
function append(ledger: Ledger, random: Random, model: Model): number {
  if (random.chance(0.1)) {
    const reference = `credit ${model.credits.size}`
    const micros = 1 + random.below(1000)
    const credit = { micros, debtPaidMicros: 0, credit: 'test', reference, note: 'a note' } as const
    ledger.append([{ kind: 'credit', account: random.below(ACCOUNTS), ...credit }])
    model.credits.set(reference, micros)
    model.entries++
    return 1
  }
  const rows: number[] = []
  const count = 1 + random.below(ROWS_MAX)
  const first = random.below(model.queries.length)
  for (let index = 0; index < count; index++) {
    const key = (first + index) % model.queries.length
    const queries = (model.queries[key] as number) + 1 + random.below(5)
    model.queries[key] = queries
    appendUsageRow(rows, slotOf(key), [queries], queries * QUERY_PRICE_MICROS)
  }
  for (const event of usageEvents(rows)) ledger.append([event])
  model.entries += count
  return count
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [events = 5_000_000, segmentBytesMax = 256 * 1024, keys = 2000, lives = 10] = process.argv
    .slice(2)
    .map(Number)
  const dir = await mkdtemp(join(tmpdir(), 'postrie-retention-'))
  const startMs = performance.now()
  const report = await runRetention(dir, { events, segmentBytesMax, keys, lives })
  const seconds = Math.round((performance.now() - startMs) / 1000)
  console.log(JSON.stringify({ ...report, problems: report.problems.slice(0, 20), seconds }, null, 2))
  process.exitCode = report.problems.length === 0 ? 0 : 1
  await rm(dir, { recursive: true })
}
