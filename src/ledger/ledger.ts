/** An open ledger: the book, the log that makes its changes durable, the meter, and the lock that makes them ours. */
import { join } from 'node:path'
import {
  CLOSING_SNAPSHOT_MS_MAX,
  CLOSING_SNAPSHOT_RECORDS_MAX,
  TRANSACTION_BYTES_MAX,
  UNSYNCED_MS_MAX,
} from '../limits.ts'
import { closeAll } from '../platform/close-all.ts'
import type { Book } from './book/book.ts'
import { type Clock, systemClock } from './clock.ts'
import type { FileLock, FileSystem } from './disk/file-system.ts'
import { ledgerFolder, METER_NAME } from './disk/files.ts'
import { lockLedger, unusable } from './disk/lock.ts'
import { nodeFileSystem } from './disk/node-file-system.ts'
import { encodePayload, type LedgerEvent } from './event.ts'
import { expectPayload } from './log/frame.ts'
import { SegmentLog } from './log/segment-log.ts'
import { MeterFile } from './meter/meter-file.ts'
import { spareRows, writeMeter } from './meter/meter-writer.ts'
import { expectNotMoved } from './moved.ts'
import { expectLedger, expectNotLost } from './presence.ts'
import { cutTail, recover, removeLeftovers } from './recover.ts'
import { Snapshots } from './snapshot/snapshots.ts'
import { type SyncState, SyncWatch } from './sync-watch.ts'
import { Timeline } from './timeline.ts'
import { usageEvents } from './usage-rows.ts'

/** What whoever opens accounts may decide of their ledger. */
export interface LedgerSettings {
  /** DATA_DIR. The ledger and the meter live in its folder `ledger`. */
  dir: string
  /** Called with sentences for the log: a torn tail that was cut, a snapshot that failed, a disk that does not answer. */
  onNotice?: (notice: string) => void
  fs?: FileSystem
  clock?: Clock
  /** Bytes after which a segment is complete. Default 64 MiB. */
  segmentBytesMax?: number
  /** Complete segments kept for `ledger show` although snapshots cover them. Default 64, which is 4 GiB. */
  segmentsKept?: number
  /** Accounts and keys that a new service has room for; `Accounts` makes room for 1024 of them by default. */
  slotsMin?: number
  /** Threads that charge besides this one, which sizes the meter. Default 0. */
  threads?: number
  /** False refuses a folder without a ledger; default true. */
  mayCreate?: boolean
  /** True opens a ledger whose accounts were moved to a fleet, for whoever finishes the move; default false. */
  mayBeMoved?: boolean
}

export interface LedgerOptions extends LedgerSettings {
  /** Price of a query, which the meter's counts are worth. */
  priceMicros: number
  /** Called once when a write or sync has failed; nothing is written afterwards. */
  onFail: (error: Error) => void
  /** Called with true when the oldest entry has waited too long for its sync, and with false when the disk answers again. */
  onStall?: (isStalled: boolean) => void
}

export class Ledger {
  readonly book: Book
  readonly meter: MeterFile
  readonly timeline: Timeline
  readonly #log: SegmentLog
  readonly #lock: FileLock
  readonly #snapshots: Snapshots
  readonly #watch: SyncWatch

  private constructor(parts: Parts) {
    this.book = parts.book
    this.timeline = parts.timeline
    this.meter = parts.meter
    this.#log = parts.log
    this.#lock = parts.lock
    this.#snapshots = parts.snapshots
    this.#watch = parts.watch
  }

  /** Takes the lock, recovers, and proves that the folder can be written. @throws LedgerError */
  static async open(options: LedgerOptions): Promise<Ledger> {
    const { fs = nodeFileSystem, dir, mayCreate = true, mayBeMoved = false } = options
    const folder = ledgerFolder(dir)
    let lock: FileLock | null = null
    try {
      if (!mayCreate) await expectLedger(dir, fs)
      await fs.makeFolder(folder)
      lock = lockLedger(fs, folder)
      await expectNotLost(dir, fs)
      if (!mayBeMoved) await expectNotMoved(dir, fs)
      return new Ledger(await openParts({ ...options, fs }, folder, lock))
    } catch (error) {
      lock?.release()
      throw unusable(folder, error)
    }
  }

  /**
   * Applies events as one transaction and resolves once they are durable; what the caller sees of the book is ahead of
   * the disk until then. @throws what the write or sync failed with
   */
  record(...events: LedgerEvent[]): Promise<void> {
    this.append(events)
    return this.#log.settled()
  }

  /** As `record`, without waiting. Returns the sequence number. */
  append(events: readonly LedgerEvent[]): number {
    const sequence = appendTo(this.#log, this.book, this.timeline, events)
    this.#watch.appended(sequence)
    return sequence
  }

  /** How old the oldest entry is that is not synced, and how long syncs have taken. */
  syncState(): SyncState {
    return this.#watch.state()
  }

  /** The last sequence number that would survive a loss of power. */
  get durableSequence(): number {
    return this.#log.durableSequence
  }

  /** Resolves when all that was recorded is durable. @throws what the write or sync failed with */
  settled(): Promise<void> {
    return this.#log.settled()
  }

  /**
   * Ends the log, writes a snapshot unless a write had failed, does `last` and releases the lock. Without `last`, those who
   * stop a service wait: a snapshot that is being taken in the background is abandoned, and that of a large book is left to
   * the next of those. The log after the last of them is short.
   */
  async close(last?: () => Promise<void>): Promise<void> {
    try {
      await closeAll(
        () => this.#log.close(),
        () => this.#watch.stop(),
        // Commands that waited for the last sync end before the meter is gone.
        () => new Promise(resolve => setImmediate(resolve)),
        () => this.meter.close(),
      )
      if (last === undefined) await this.#closeSoon()
      else await this.#takeSnapshot()
      await last?.()
    } catch (error) {
      // Nothing of this process may read the folder once the lock is released.
      await this.#snapshots.stop()
      throw error
    } finally {
      this.#lock.release()
    }
  }

  async #closeSoon(): Promise<void> {
    await this.#snapshots.stop()
    const { slots, references } = this.book
    if (slots.length + references.size > CLOSING_SNAPSHOT_RECORDS_MAX) return
    await this.#takeSnapshot(CLOSING_SNAPSHOT_MS_MAX)
  }

  async #takeSnapshot(msMax?: number): Promise<void> {
    const position = this.#log.position()
    if (position === null) return
    await this.#snapshots.takeNow(this.book, position, this.timeline.nowMs(), msMax)
  }
}

interface Parts {
  book: Book
  timeline: Timeline
  log: SegmentLog
  meter: MeterFile
  lock: FileLock
  snapshots: Snapshots
  watch: SyncWatch
}

async function openParts(
  options: LedgerOptions & { fs: FileSystem },
  folder: string,
  lock: FileLock,
): Promise<Parts> {
  const { fs, clock = systemClock, priceMicros, onFail, onNotice = () => {} } = options
  const recovered = await recover(fs, folder)
  await removeLeftovers(fs, folder)
  recovered.notes.forEach(onNotice)
  const { book, walked, ledgerId, rowsAhead } = recovered
  const timeline = Timeline.from(clock, recovered.meter?.clockMs ?? 0)
  if (walked.torn !== null)
    onNotice(await cutTail(fs, folder, walked.torn, walked.sequence + 1, timeline.nowMs()))
  const snapshots = new Snapshots(fs, folder, onNotice, options.segmentsKept)
  const watch = new SyncWatch(clock, UNSYNCED_MS_MAX, (isStalled, ms) => {
    onNotice(stallNotice(isStalled, ms))
    options.onStall?.(isStalled)
  })
  let meter: MeterFile | null = null
  const log = await SegmentLog.open({
    fs,
    folder,
    ledgerId,
    chain: { sequence: walked.sequence, crc: walked.crc, epoch: walked.epoch + 1 },
    last: walked.last,
    nowMs: () => timeline.nowMs(),
    onDurable(sequence) {
      meter?.setDurable(sequence)
      watch.synced(sequence)
    },
    onFail,
    onSealed: () => snapshots.takeInBackground(),
    segmentBytesMax: options.segmentBytesMax,
  })
  try {
    await recordOpening(log, book, rowsAhead, timeline)
    const present = { durableSequence: log.durableSequence, nowMs: timeline.nowMs() }
    const spare = spareRows(Math.max(book.slots.length, options.slotsMin ?? 0), 1 + (options.threads ?? 0))
    const identity = { ledgerId, priceMicros }
    const made = await writeMeter(fs, folder, identity, book, recovered.meter, present, spare)
    meter = new MeterFile(fs, folder, made)
    for (const path of [join(folder, METER_NAME), ...lock.guards]) await log.watch(path)
    await snapshots.tidyInBackground()
    return { book, timeline, log, meter, lock, snapshots, watch }
  } catch (error) {
    const opened = meter
    await closeAll(
      () => log.close(),
      () => watch.stop(),
      () => opened?.close(),
    ).catch(() => {
      // What failed first says why.
    })
    throw error
  }
}

function stallNotice(isStalled: boolean, unsyncedMs: number): string {
  const waited = `${Math.round(unsyncedMs)} ms`
  return isStalled
    ? `the disk has not confirmed a write for ${waited}: nothing is charged until it does. Check the disk.`
    : `the disk has confirmed its writes after ${waited}: queries are charged again`
}

/** The first frames of an epoch prove that the folder can be written, and bring the ledger up to the meter. */
async function recordOpening(
  log: SegmentLog,
  book: Book,
  rowsAhead: number[],
  timeline: Timeline,
): Promise<void> {
  appendTo(log, book, timeline, [{ kind: 'open' }])
  for (const event of usageEvents(rowsAhead)) appendTo(log, book, timeline, [event])
  await log.settled()
}

/**
 * Encodes, then applies, then appends: what cannot be stored or contradicts the book is refused before anything changes.
 * @throws Error from the encoder or the book; neither the book nor the log has changed then
 */
function appendTo(log: SegmentLog, book: Book, timeline: Timeline, events: readonly LedgerEvent[]): number {
  const timeMs = timeline.nowMs()
  const payload = encodePayload(timeMs, events)
  expectPayload(payload, TRANSACTION_BYTES_MAX)
  book.transact(events, timeMs, log.sequence + 1)
  return log.append(payload)
}
