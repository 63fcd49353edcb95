import { join } from 'node:path'
import { ACCOUNTS_MAX_DEFAULT, KEYS_MAX_DEFAULT } from '../../platform/limits.ts'
import { closeAll } from '../../platform/promises.ts'
import { QUERY_PRICE_MICROS } from '../money.ts'
import type { FileLock, FileSystem } from './disk/file-system.ts'
import { ledgerFolder, METER_NAME, removeUnfinished } from './disk/files.ts'
import { nodeFileSystem } from './disk/node-file-system.ts'
import { encodePayload, type LedgerEvent, usageEvents } from './event.ts'
import { unusable } from './ledger-error.ts'
import { expectPayload, PAYLOAD_BYTES_MAX } from './log/frame.ts'
import { openSegmentLog } from './log/segment-log.ts'
import { type MeterFile, openMeter } from './meter/meter-file.ts'
import { expectLedger, expectNotLost, expectNotMigrated } from './presence.ts'
import { cutTail, recover } from './recover.ts'
import { snapshotsOf } from './snapshot/snapshots.ts'
import { type Clock, systemClock, Timeline } from './timeline.ts'

/** Maximum bytes of one transaction. Its events then fit a frame of a snapshot as well. */
const TRANSACTION_BYTES_MAX = PAYLOAD_BYTES_MAX / 2

export interface LedgerSettings {
  /** DATA_DIR. The ledger and the meter are in its folder `ledger`. */
  dir: string
  /** Called with sentences for the log: a cut tail, a failed snapshot, a disk that does not answer. */
  onNotice?: (notice: string) => void
  fs?: FileSystem
  clock?: Clock
  /** Bytes after which a segment is complete. Default 64 MiB. */
  segmentBytesMax?: number
  /** Complete segments kept for `ledger show`. Default 64, which is 4 GiB. */
  segmentsKept?: number
  /** Maximum number of accounts. Memory is reserved for all, and used only by existing ones. */
  accountsMax?: number
  keysMax?: number
  /** False refuses a folder without a ledger. Default true. */
  mayCreate?: boolean
  /** True opens a ledger whose accounts were moved to a fleet, to finish the move. Default false. */
  mayBeMigrated?: boolean
}

interface Owner {
  /** Called once after a failed write or sync. Nothing is written afterwards. */
  fail(error: Error): void
  /** Called with true after UNSYNCED_MS_MAX without a sync, and with false when the disk answers again. */
  setStalled(isStalled: boolean): void
}

export type Ledger = Awaited<ReturnType<typeof openLedger>>

/** Opens the book, the log and the meter: locks, recovers, and writes a first frame. @throws LedgerError */
export async function openLedger(options: LedgerSettings) {
  const { fs = nodeFileSystem, dir, mayCreate = true, mayBeMigrated = false } = options
  const folder = ledgerFolder(dir)
  let lock: FileLock | null = null
  try {
    if (!mayCreate) await expectLedger(dir, fs)
    await fs.makeFolder(folder)
    lock = fs.lock(folder)
    await expectNotLost(dir, fs)
    if (!mayBeMigrated) await expectNotMigrated(dir, fs)
    return await start(options, fs, folder, lock)
  } catch (error) {
    lock?.release()
    throw unusable(folder, error)
  }
}

async function start(options: LedgerSettings, fs: FileSystem, folder: string, lock: FileLock) {
  const { clock = systemClock, onNotice = () => {} } = options
  const { accountsMax = ACCOUNTS_MAX_DEFAULT, keysMax = KEYS_MAX_DEFAULT } = options

  const { book, walked, ledgerId, meter: image, unbookedRows, notes } = await recover(fs, folder)
  notes.forEach(onNotice)
  await removeUnfinished(fs, folder)
  const timeline = Timeline.from(clock, image?.clockMs ?? 0)
  if (walked.torn !== null)
    onNotice(await cutTail(fs, folder, walked.torn, walked.sequence + 1, timeline.nowMs()))

  const snapshots = snapshotsOf(fs, folder, onNotice, options.segmentsKept)
  let meter: MeterFile | null = null
  let owner: Owner | null = null
  const log = await openSegmentLog({
    fs,
    folder,
    ledgerId,
    clock,
    nowMs: () => timeline.nowMs(),
    chain: { sequence: walked.sequence, crc: walked.crc, epoch: walked.epoch + 1 },
    last: walked.last,
    segmentBytesMax: options.segmentBytesMax,
    onDurable: sequence => meter?.setDurable(sequence),
    onFail: error => owner?.fail(error),
    onStall(isStalled, unsyncedMs) {
      const waited = `${Math.round(unsyncedMs)} ms`
      onNotice(
        isStalled
          ? `the disk has not confirmed a write for ${waited}. Nothing is charged until it does. Check the disk`
          : `the disk has confirmed its writes after ${waited}: queries are charged again`,
      )
      owner?.setStalled(isStalled)
    },
    onSealed: () => snapshots.takeInBackground(),
  })
  /** Applies a transaction at once, and appends it. @throws Error with nothing changed */
  const append = (events: readonly LedgerEvent[]): number => {
    const timeMs = timeline.nowMs()
    const payload = encodePayload(timeMs, events)
    expectPayload(payload, TRANSACTION_BYTES_MAX)
    book.transact(events, timeMs, log.sequence + 1)
    return log.append(payload)
  }
  try {
    // The first frame proves that the folder is writable. The others add usage that only the meter has.
    // One turn appends them in one batch: a second one would prove to readers that the meter exists.
    append([{ kind: 'open' }])
    for (const event of usageEvents(unbookedRows)) append([event])
    await log.untilDurable()

    // Now the old meter may be replaced: its counts are durable in the ledger, at their price.
    meter = await openMeter({
      fs,
      folder,
      ledgerId,
      priceMicros: QUERY_PRICE_MICROS,
      bootId: await fs.bootId(),
      book,
      image,
      durableSequence: log.durableSequence,
      nowMs: timeline.nowMs(),
      slotsMax: accountsMax + keysMax,
    })
    for (const path of [join(folder, METER_NAME), ...lock.guards]) await log.watch(path)
    await snapshots.tidyInBackground()
  } catch (error) {
    // The first failure has the cause.
    await closeAll(
      () => log.close(),
      () => meter?.close(),
    ).catch(() => {})
    throw error
  }
  const opened = meter
  return {
    book,
    log,
    meter: opened,
    timeline,
    append,
    /** Sets the owner. Until then, only `untilDurable` reports a failure. */
    setOwner(by: Owner): void {
      owner = by
    },
    untilDurable: log.untilDurable,
    /** Ends the log, runs `last` or writes a closing snapshot for a fast start, and releases the lock. */
    async close(last?: () => Promise<void>): Promise<void> {
      try {
        await closeAll(
          () => log.close(),
          // Commands that waited for the last sync end before the meter is unmapped.
          () => new Promise(resolve => setImmediate(resolve)),
          () => opened.close(),
          // This process must not read the folder after the lock is released.
          () => snapshots.stop(),
        )
        const position = log.position()
        if (last !== undefined) await last()
        else if (position !== null) await snapshots.takeNow(book, position, timeline.nowMs())
      } finally {
        lock.release()
      }
    },
  }
}
