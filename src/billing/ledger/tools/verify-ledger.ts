/** Proves every balance from the ledger's own bytes. */

import { join } from 'node:path'
import type { Book } from '../book/book.ts'
import { balanceMicros } from '../book/record.ts'
import type { FileSystem } from '../disk/file-system.ts'
import { ledgerFolder, listLedger, METER_NAME, type NumberedFile } from '../disk/files.ts'
import { nodeFileSystem } from '../disk/node-file-system.ts'
import type { KeyUsage, LedgerEvent } from '../event.ts'
import { LedgerError, unusable } from '../ledger-error.ts'
import { walkLedger } from '../log/walk.ts'
import { readMeter, unbookedUsage } from '../meter/meter-image.ts'
import { applyTo, earliestBook, meterNotes } from '../recover.ts'
import { digestOf, proveSnapshot } from '../snapshot/snapshot.ts'

export type VerifyReport = ReturnType<typeof emptyReport>

/** Attempts of a proof. The service may change the end of the ledger, or the meter, meanwhile. */
const TRIES_MAX = 4

/**
 * Proves every balance and changes nothing. A service that uses the ledger may just be writing its last
 * frame, or a charge. So a torn tail or a damaged meter is reported only if every attempt finds one. Costs
 * about a second per million entries.
 */
export async function verifyLedger(dir: string, fs: FileSystem = nodeFileSystem): Promise<VerifyReport> {
  const folder = ledgerFolder(dir)
  for (let tries = 1; ; tries++) {
    const report = emptyReport()
    let mayPass = false
    try {
      await prove(fs, folder, report)
      mayPass = report.status === 'torn'
    } catch (error) {
      // The service may have removed a covered file meanwhile.
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (!isGone && !(error instanceof LedgerError)) throw unusable(folder, error)
      report.problems.push((error as Error).message)
      mayPass = isGone || (error as LedgerError).finding?.file === join(folder, METER_NAME)
    }
    if (report.problems.length > 0) report.status = 'damaged'
    if (!mayPass || tries === TRIES_MAX) return report
  }
}

async function prove(fs: FileSystem, folder: string, report: VerifyReport): Promise<void> {
  // The meter first: its durable entries are then in the segments.
  const meter = await readMeter(fs, folder)
  const files = await listLedger(fs, folder)
  const { book, anchor } = await earliestBook(fs, files)
  report.baseSequence = anchor.sequence
  const tally = new Tally(book)
  const snapshots = await laterSnapshots(fs, files.snapshots, anchor.sequence, report)
  const apply = applyTo(book)
  const walked = await walkLedger(fs, files.segments, anchor, meter, (sequence, epoch, payload) => {
    report.frames++
    for (let index = 1; index < payload.length; index++) tally.add(payload[index] as LedgerEvent, book)
    apply(sequence, epoch, payload)
    const digest = snapshots.get(sequence)
    if (digest !== undefined && !digest.equals(digestOf(book)))
      report.problems.push(`snapshot ${sequence} differs from the sum of the entries up to it`)
  })
  report.problems.push(...tally.compare(book))
  report.segments = walked.segments
  report.lastSequence = walked.sequence
  report.lastCrc = walked.crc
  report.ledgerId = walked.ledgerId?.toString('hex') ?? ''
  report.entries = tally.entries
  if (walked.torn !== null) report.status = 'torn'
  // Throws if meter and book contradict.
  if (meter !== null) unbookedUsage(meter, book)
  // The service may have noted later syncs and charges since the meter was read.
  report.notes.push(...(await meterNotes(fs, folder, await readMeter(fs, folder), walked, book)))
  report.accounts = book.accounts.size
  report.keys = book.keys.size
  for (const account of book.accounts.values()) {
    report.creditedMicros += account.creditedMicros
    report.balanceMicros += balanceMicros(account)
    report.spentMicros += account.spentMicros
    report.debtMicros += account.debtMicros
  }
}

/** Returns the digests of later snapshots, by sequence number. Damaged ones are problems. */
async function laterSnapshots(
  fs: FileSystem,
  files: readonly NumberedFile[],
  baseSequence: number,
  report: VerifyReport,
): Promise<Map<number, Buffer>> {
  const digests = new Map<number, Buffer>()
  for (const file of files.filter(({ sequence }) => sequence > baseSequence)) {
    try {
      digests.set(file.sequence, await proveSnapshot(fs, file))
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error
      report.problems.push(error.message)
    }
  }
  return digests
}

function emptyReport() {
  return {
    /** `torn`: sound except for an unfinished last write, which the next start cuts. */
    status: 'sound' as 'sound' | 'torn' | 'damaged',
    segments: 0,
    frames: 0,
    entries: 0,
    /** Sequence number before the first proved entry; above 0 if old segments were removed. */
    baseSequence: 0,
    lastSequence: 0,
    lastCrc: 0,
    /** Id in hexadecimal; empty without a ledger. */
    ledgerId: '',
    accounts: 0,
    keys: 0,
    /** Credits less refunds and disputes. */
    creditedMicros: 0,
    spentMicros: 0,
    balanceMicros: 0,
    debtMicros: 0,
    /** Sentences with file, offset, finding, expectation and remedy. */
    problems: [] as string[],
    /** Sentences on a sound ledger, such as an old meter. */
    notes: [] as string[],
  }
}

/** Adds up a ledger by plain sums of its entries, without the book's arithmetic, as a check. */
class Tally {
  entries = 0
  readonly problems: string[] = []
  /** By slot: balance and debt of an account; spend and queries of a key. */
  readonly #sums: number[][] = []

  constructor(book: Book) {
    for (const record of book.slots) {
      if (record.type === 'key') this.#use({ ...record, key: record.slot }, book)
      else
        for (const entry of record.entries) this.#change(record.slot, entry.balanceMicros, entry.debtMicros)
    }
  }

  /** @param book book before the event */
  add(event: LedgerEvent, book: Book): void {
    this.entries += event.kind === 'usage' ? event.rows.length : 1
    if (event.kind === 'credit')
      this.#change(event.account, event.micros - event.debtPaidMicros, -event.debtPaidMicros)
    else if (event.kind === 'adjust')
      this.#change(event.account, -event.takenMicros, event.micros - event.takenMicros)
    else if (event.kind === 'closed') this.#change(event.account, -event.takenMicros, 0)
    else if (event.kind === 'usage') for (const row of event.rows) this.#use(row, book)
  }

  compare({ slots }: Book): string[] {
    const differences = slots.flatMap(record => {
      const isKey = record.type === 'key'
      const booked = isKey
        ? [record.spentMicros, ...record.queries]
        : [balanceMicros(record), record.debtMicros]
      const summed = this.#sums[record.slot] ?? booked.map(() => 0)
      const of = isKey ? 'spend and queries' : 'balance and debt'
      return summed.join() === booked.join()
        ? []
        : [`${of} of ${record.id}: entries add up to ${summed.join()}, the book has ${booked.join()}`]
    })
    return [...this.problems, ...differences]
  }

  #change(accountSlot: number, balanceChangeMicros: number, debtChangeMicros: number): void {
    const [balance, debt] = this.#sums[accountSlot] ?? [0, 0]
    this.#sums[accountSlot] = [balance + balanceChangeMicros, debt + debtChangeMicros]
  }

  #use({ key, queries, spentMicros }: KeyUsage, book: Book): void {
    const addedMicros = spentMicros - (this.#sums[key]?.[0] ?? 0)
    if (addedMicros < 0) this.problems.push(`usage of slot ${key} falls by ${-addedMicros} micros`)
    this.#sums[key] = [spentMicros, ...queries]
    this.#change(book.key(key).account.slot, -addedMicros, 0)
  }
}
