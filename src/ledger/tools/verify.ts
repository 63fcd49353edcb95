/** Proves every balance from the ledger's own bytes. */
import { earliestBook } from '../base.ts'
import type { Book } from '../book/book.ts'
import { Tally } from '../book/tally.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { ledgerFolder, listLedger } from '../disk/files.ts'
import { nodeFileSystem } from '../disk/node-file-system.ts'
import { LedgerError } from '../errors.ts'
import { walkLedger } from '../log/walk.ts'
import { readMeter } from '../meter/meter-image.ts'
import { usageAhead } from '../meter/reconcile.ts'
import { applyTo } from '../recover.ts'
import { readSnapshot } from '../snapshot/snapshot.ts'

export interface VerifyReport {
  /** `torn`: sound but for a last write that never finished, which the next start cuts. */
  status: 'sound' | 'torn' | 'damaged'
  segments: number
  frames: number
  /** Events, each row of usage counted. */
  entries: number
  /** Sequence number that the proof starts after; 0: from the beginning. More after old segments were removed. */
  baseSequence: number
  lastSequence: number
  accounts: number
  keys: number
  /** Credits less refunds and disputes; spend; the difference of the two. */
  creditedMicros: number
  spentMicros: number
  balanceMicros: number
  debtMicros: number
  /** One sentence each, with file, offset, what was found and expected, and the remedy. */
  problems: string[]
}

/**
 * Checks headers, chain, sequence, the sign of every prefix, all sums, all snapshots and the meter. Changes nothing. The
 * ledger may be in use: a last frame that is just being written reads as torn, so a torn one is looked at twice. Cost:
 * about a second per million entries, memory of one segment and the book.
 */
export async function verifyLedger(dir: string, fs: FileSystem = nodeFileSystem): Promise<VerifyReport> {
  const report = await verifyOnce(fs, ledgerFolder(dir))
  return report.status === 'torn' ? verifyOnce(fs, ledgerFolder(dir)) : report
}

async function verifyOnce(fs: FileSystem, folder: string): Promise<VerifyReport> {
  const report = emptyReport()
  try {
    await prove(fs, folder, report)
  } catch (error) {
    if (!(error instanceof LedgerError)) throw error
    report.problems.push(error.message)
  }
  if (report.problems.length > 0) report.status = 'damaged'
  return report
}

async function prove(fs: FileSystem, folder: string, report: VerifyReport): Promise<void> {
  // The meter first: what it knows to be durable is then in the segments read after it.
  const meter = await readMeter(fs, folder)
  const files = await listLedger(fs, folder)
  const { book, anchor } = await earliestBook(fs, files)
  report.baseSequence = anchor.sequence
  const tally = new Tally(book)
  const snapshots = await laterSnapshots(fs, files.snapshots, anchor.sequence, report)
  const apply = applyTo(book)
  const walked = await walkLedger(
    fs,
    files.segments,
    anchor,
    meter?.durableSequence ?? 0,
    (sequence, epoch, payload) => {
      const [, ...events] = payload
      report.frames++
      for (const event of events) {
        const problem = tally.add(event)
        if (problem !== null) report.problems.push(`sequence ${sequence}: ${problem}`)
      }
      apply(sequence, epoch, payload)
      const snapshot = snapshots.get(sequence)
      if (snapshot !== undefined) report.problems.push(...differences(snapshot, book, sequence))
    },
  )
  report.problems.push(...tally.compare(book))
  report.segments = walked.segments
  report.lastSequence = walked.sequence
  report.entries = tally.entries
  if (walked.torn !== null) report.status = 'torn'
  if (meter !== null && walked.ledgerId !== null) usageAhead(meter, book, walked.ledgerId)
  addTotals(report, book)
}

/** Snapshots after the first, which the walk will pass, by sequence number. Damaged ones are problems. */
async function laterSnapshots(
  fs: FileSystem,
  files: readonly { path: string; sequence: number }[],
  baseSequence: number,
  report: VerifyReport,
): Promise<Map<number, Book>> {
  const books = new Map<number, Book>()
  for (const file of files.filter(({ sequence }) => sequence > baseSequence)) {
    try {
      books.set(file.sequence, (await readSnapshot(fs, file)).book)
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error
      report.problems.push(error.message)
    }
  }
  return books
}

function differences(snapshot: Book, book: Book, sequence: number): string[] {
  if (snapshot.slots.length !== book.slots.length) {
    return [
      `snapshot ${sequence} has ${snapshot.slots.length} accounts and keys, the ledger ${book.slots.length}`,
    ]
  }
  return new Tally(snapshot).compare(book).map(problem => `snapshot ${sequence}: ${problem}`)
}

function addTotals(report: VerifyReport, book: Book): void {
  report.accounts = book.accounts.size
  report.keys = book.keys.size
  for (const account of book.accounts.values()) {
    report.creditedMicros += account.creditedMicros
    report.balanceMicros += account.creditedMicros - account.spentMicros
    report.spentMicros += account.spentMicros
    report.debtMicros += account.debtMicros
  }
}

function emptyReport(): VerifyReport {
  return {
    status: 'sound',
    segments: 0,
    frames: 0,
    entries: 0,
    baseSequence: 0,
    lastSequence: 0,
    accounts: 0,
    keys: 0,
    creditedMicros: 0,
    spentMicros: 0,
    balanceMicros: 0,
    debtMicros: 0,
    problems: [],
  }
}
