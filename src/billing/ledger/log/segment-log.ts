/** Writer of the ledger with group commit: one batch is written and synced while the next one gathers. */
import type { FileSystem, OpenFile } from '../disk/file-system.ts'
import { numberedPath, rewriteFile, writeAll } from '../disk/files.ts'
import { LedgerError } from '../ledger-error.ts'
import type { Clock } from '../timeline.ts'
import { encodeFileHeader, FILE_HEADER_BYTES, SEGMENT_MAGIC } from './file-header.ts'
import { type Chain, encodeBatch } from './frame.ts'
import type { Anchor, LastSegment } from './walk.ts'

/**
 * Longest time that an entry may wait for its sync. Nothing more is charged until the disk answers, since a
 * power cut would lose it. A sync takes milliseconds, and over 2 seconds on an overloaded machine.
 */
export const UNSYNCED_MS_MAX = 5000
/** Maximum bytes of a segment. Once it has them, the next batch begins a new one. */
export const SEGMENT_BYTES_MAX = 64 * 1024 * 1024

interface SegmentLogOptions {
  fs: FileSystem
  folder: string
  ledgerId: Buffer
  clock: Clock
  nowMs: () => number
  /** Last frame of the ledger, with this writer's epoch. */
  chain: Chain
  last: LastSegment | null
  segmentBytesMax?: number | undefined
  onDurable: (sequence: number) => void
  /** Called once after a failed write or sync. Nothing is written afterwards. */
  onFail: (error: Error) => void
  /** Called with true after UNSYNCED_MS_MAX without a sync, with false once the disk has caught up. */
  onStall?: (isStalled: boolean, unsyncedMs: number) => void
  onSealed?: () => void
}

interface Batch {
  payloads: Uint8Array[]
  /** Time of the first payload, by the monotonic clock. */
  sinceMs: number
}

/** Opens the log. Syncs the last segment first: the next frame claims that earlier ones are durable. */
export async function openSegmentLog(options: SegmentLogOptions) {
  const { fs, folder, ledgerId, clock, nowMs, last, segmentBytesMax = SEGMENT_BYTES_MAX } = options
  const { onDurable, onFail, onStall, onSealed } = options
  const chain: Chain = { ...options.chain }
  /** Last assigned sequence number. */
  let sequence = chain.sequence
  let durableSequence = chain.sequence
  let openFile: OpenFile | null = null
  let openPath = ''
  let fileBytes = 0
  /** File identities by path: each path must still name the same file after every sync. */
  const watched = new Map<string, string | null>()
  /** Batch that is being written. */
  let current: Batch | null = null
  /** Batch of everything that has come since. */
  let next: Batch | null = null
  /** Resolves when all payloads so far are durable. Rejects for ever after a failed write or sync. */
  let durable: Promise<void> = Promise.resolve()
  let hasFailed = false
  const syncs = { syncs: 0, syncMsTotal: 0, syncMsMax: 0, isStalled: false }

  /** @param payload fits a frame, by `expectPayload` */
  function append(payload: Uint8Array): number {
    sequence++
    if (next === null) {
      next = { payloads: [], sinceMs: clock.monotonicMs() }
      // Further entries of the same turn join this batch.
      durable = durable.then(commitNext)
      // Nobody waits for usage frames. `onFail` reports a failure.
      durable.catch(() => {})
    }
    next.payloads.push(payload)
    return sequence
  }

  /** Adds a file that must stay in its place. If it is gone after a sync, that sync counts as failed. */
  async function watch(path: string): Promise<void> {
    watched.set(path, await fs.identity(path))
  }

  async function close(): Promise<void> {
    for (let last: Promise<void> | null = null; last !== durable; ) {
      last = durable
      await last.catch(() => {})
    }
    const file = openFile
    openFile = null
    await file?.close()
  }

  async function commitNext(): Promise<void> {
    if (next === null) return
    current = next
    next = null
    try {
      await commit(current)
    } catch (error) {
      // A failed sync is not repeated: the kernel may have dropped the pages and would report success.
      hasFailed = true
      onFail(error instanceof Error ? error : new Error(String(error)))
      throw error
    } finally {
      current = null
    }
  }

  async function commit({ payloads, sinceMs }: Batch): Promise<void> {
    const startMs = clock.monotonicMs()
    const ignoreStall = clock.after(UNSYNCED_MS_MAX - (startMs - sinceMs), () => stall(true))
    try {
      if (fileBytes >= segmentBytesMax) {
        await beginSegment()
        onSealed?.()
      }
      await write(encodeBatch(payloads, chain))
    } finally {
      ignoreStall()
    }
    durableSequence = chain.sequence
    onDurable(durableSequence)
    const endMs = clock.monotonicMs()
    syncs.syncs++
    syncs.syncMsTotal += endMs - startMs
    syncs.syncMsMax = Math.max(syncs.syncMsMax, endMs - startMs)
    const isLate = next !== null && endMs - next.sinceMs >= UNSYNCED_MS_MAX
    if (syncs.isStalled && !isLate) stall(false)
  }

  /** Appends and syncs. @throws LedgerError if a watched file was removed or replaced meanwhile */
  async function write(bytes: Uint8Array): Promise<void> {
    if (openFile === null) throw new Error('the ledger is closed')
    await writeAll(openFile, bytes, fileBytes)
    await openFile.sync()
    fileBytes += bytes.length
    for (const [path, identity] of watched) {
      const found = await fs.identity(path)
      if (found === identity) continue
      const what = found === null ? 'nothing there' : 'another file in its place'
      throw new LedgerError(
        'UNUSABLE',
        `${path} was moved, removed or replaced while the service was writing it: found ${what}. ` +
          'Nothing more is acknowledged. Put the file back, find out what changes the folder, and start again.',
      )
    }
  }

  /** Begins the next segment. Header and name are durable before the first frame is written. */
  async function beginSegment(): Promise<void> {
    const first = chain.sequence + 1
    const path = numberedPath(folder, first, 'segment')
    const header = { epoch: chain.epoch, ledgerId, sequence: first, chainCrc: chain.crc, createdMs: nowMs() }
    await rewriteFile(fs, path, file => writeAll(file, encodeFileHeader(SEGMENT_MAGIC, header), 0))
    await openSegment(path, FILE_HEADER_BYTES)
  }

  async function openSegment(path: string, bytes: number): Promise<OpenFile> {
    const sealed = openFile
    openFile = await fs.open(path, 'write')
    watched.delete(openPath)
    openPath = path
    fileBytes = bytes
    await watch(path)
    await sealed?.close()
    return openFile
  }

  function stall(isStalled: boolean): void {
    if (syncs.isStalled === isStalled) return
    syncs.isStalled = isStalled
    onStall?.(isStalled, unsyncedMs())
  }

  function unsyncedMs(): number {
    const oldest = current ?? next
    return oldest === null ? 0 : clock.monotonicMs() - oldest.sinceMs
  }

  try {
    if (last === null) await beginSegment()
    else {
      const file = await openSegment(last.path, last.bytes)
      await file.sync()
      await fs.syncFolder(folder)
    }
  } catch (error) {
    await close()
    throw error
  }
  return {
    get sequence(): number {
      return sequence
    },
    get durableSequence(): number {
      return durableSequence
    },
    append,
    untilDurable: () => durable,
    watch,
    /** Returns figures of syncs. `unsyncedMs` is the age of the oldest unsynced entry, or 0. */
    syncState: () => ({ unsyncedMs: unsyncedMs(), ...syncs }),
    /** Returns the last durable frame, for a snapshot; null after a failure. */
    position: (): Anchor | null => (hasFailed ? null : { ...chain, ledgerId }),
    close,
  }
}
