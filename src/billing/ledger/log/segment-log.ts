/** Writer of the ledger with group commit: one batch is written and synced while the next one gathers. */
import type { FileSystem, OpenFile } from '../disk/file-system.ts'
import { replaceFile, segmentPath, writeAll } from '../disk/files.ts'
import { LedgerError } from '../ledger-error.ts'
import type { Clock } from '../timeline.ts'
import { encodeFileHeader, FILE_HEADER_BYTES, SEGMENT_MAGIC } from './file-header.ts'
import { type Chain, encodeBatch, expectPayload } from './frame.ts'
import type { Anchor, LastSegment } from './walk.ts'

/**
 * Longest time that an entry may wait for its sync. Nothing more is charged until the disk answers, since a power cut would lose
 * it. A sync takes milliseconds, and over 2 seconds on an overloaded machine.
 */
export const UNSYNCED_MS_MAX = 5000
/** Payload bytes of one write and sync of the ledger. More waits for the next. */
const BATCH_BYTES_MAX = 16 * 1024 * 1024
/** Maximum bytes of a segment. Once it has them, the next batch begins a new one. */
export const SEGMENT_BYTES_MAX = 64 * 1024 * 1024

export interface SegmentLogOptions {
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
  /** Called with true when the oldest payload has waited UNSYNCED_MS_MAX, and with false once the disk has caught up. */
  onStall?: (isStalled: boolean, unsyncedMs: number) => void
  onSealed?: () => void
}

interface Batch {
  payloads: Uint8Array[]
  bytes: number
  /** Time of the first payload, by the monotonic clock. */
  sinceMs: number
  done: Promise<void>
  resolve: () => void
  reject: (error: Error) => void
}

export class SegmentLog {
  /** Last assigned sequence number. */
  sequence: number
  /** Last synced sequence number. */
  durableSequence: number
  readonly #options: SegmentLogOptions
  readonly #chain: Chain
  #file: OpenFile | null = null
  #path = ''
  #bytes = 0
  /** File identities by path: each path must still name the same file after every sync. */
  readonly #watched = new Map<string, string | null>()
  /** Gathering batches, in order. All but the last are full. */
  readonly #waiting: Batch[] = []
  #current: Batch | null = null
  #writing: Promise<void> | null = null
  #failure: Error | null = null
  /** Number of syncs, their total time and the longest. */
  readonly #syncs = { syncs: 0, syncMsTotal: 0, syncMsMax: 0, isStalled: false }

  private constructor(options: SegmentLogOptions) {
    this.#options = options
    this.#chain = { ...options.chain }
    this.sequence = this.#chain.sequence
    this.durableSequence = this.#chain.sequence
  }

  /** Syncs the last segment first: the next frame claims that all earlier frames are durable. */
  static async open(options: SegmentLogOptions): Promise<SegmentLog> {
    const log = new SegmentLog(options)
    const { fs, folder, last } = options
    try {
      if (last === null) await log.#beginSegment()
      else {
        await log.#openSegment(last.path, last.bytes)
        await log.#file?.sync()
        await fs.syncFolder(folder)
      }
      return log
    } catch (error) {
      await log.close()
      throw error
    }
  }

  append(payload: Uint8Array): number {
    expectPayload(payload)
    this.sequence++
    const batch = this.#gatheringBatch()
    batch.payloads.push(payload)
    batch.bytes += payload.length
    this.#writing ??= this.#run()
    return this.sequence
  }

  async untilDurable(): Promise<void> {
    if (this.#failure !== null) throw this.#failure
    const last = this.#waiting.at(-1) ?? this.#current
    await last?.done
  }

  /** Adds a file that must stay in its place. If it is gone after a sync, that sync counts as failed. */
  async watch(path: string): Promise<void> {
    this.#watched.set(path, await this.#options.fs.identity(path))
  }

  /** Returns figures of syncs. `unsyncedMs` is the age of the oldest unsynced entry, or 0. */
  syncState() {
    return { unsyncedMs: this.#unsyncedMs(), ...this.#syncs }
  }

  /** Returns the last durable frame, for a snapshot; null after a failure. */
  position(): Anchor | null {
    return this.#failure === null ? { ...this.#chain, ledgerId: this.#options.ledgerId } : null
  }

  async close(): Promise<void> {
    while (this.#writing !== null) await this.#writing
    const file = this.#file
    this.#file = null
    await file?.close()
  }

  #gatheringBatch(): Batch {
    const last = this.#waiting.at(-1)
    // 1. Batch 1 is written and synced. 2. Its last number is noted in the meter. 3. Batch 2 is written.
    // So a file with a batch 2 proves to readers that the meter has noted batch 1. The meter is made after the first sync:
    // until then, all frames join one batch, however large.
    const isFirst = this.durableSequence === this.#options.chain.sequence
    if (last !== undefined && (isFirst || last.bytes < BATCH_BYTES_MAX)) return last
    const batch = newBatch(this.#options.clock.monotonicMs())
    this.#waiting.push(batch)
    return batch
  }

  async #run(): Promise<void> {
    // Further entries of the same turn join this batch.
    await null
    for (;;) {
      const batch = this.#failure === null ? this.#waiting.shift() : undefined
      if (batch === undefined) break
      this.#current = batch
      try {
        await this.#commit(batch)
        batch.resolve()
      } catch (error) {
        this.#fail(error instanceof Error ? error : new Error(String(error)), batch)
      }
    }
    this.#current = null
    this.#writing = null
  }

  async #commit({ payloads, sinceMs }: Batch): Promise<void> {
    const { clock, segmentBytesMax = SEGMENT_BYTES_MAX, onDurable, onSealed } = this.#options
    const startMs = clock.monotonicMs()
    const ignoreStall = clock.after(UNSYNCED_MS_MAX - (startMs - sinceMs), () => this.#stall(true))
    try {
      if (this.#bytes >= segmentBytesMax) {
        await this.#beginSegment()
        onSealed?.()
      }
      await this.#write(encodeBatch(payloads, this.#chain))
    } finally {
      ignoreStall()
    }
    this.durableSequence = this.#chain.sequence
    onDurable(this.durableSequence)
    this.#measure(clock.monotonicMs() - startMs)
  }

  /** Appends and syncs. @throws LedgerError if a watched file was removed or replaced meanwhile */
  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#file === null) throw new Error('the ledger is closed')
    await writeAll(this.#file, bytes, this.#bytes)
    await this.#file.sync()
    this.#bytes += bytes.length
    for (const [path, identity] of this.#watched) {
      const found = await this.#options.fs.identity(path)
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
  async #beginSegment(): Promise<void> {
    const { fs, folder, ledgerId, nowMs } = this.#options
    const { sequence, crc: chainCrc, epoch } = this.#chain
    const path = segmentPath(folder, sequence + 1)
    const header = { epoch, ledgerId, sequence: sequence + 1, chainCrc, createdMs: nowMs() }
    await replaceFile(fs, path, file => writeAll(file, encodeFileHeader(SEGMENT_MAGIC, header), 0))
    await this.#openSegment(path, FILE_HEADER_BYTES)
  }

  async #openSegment(path: string, bytes: number): Promise<void> {
    const sealed = this.#file
    this.#file = await this.#options.fs.open(path, 'write')
    this.#watched.delete(this.#path)
    this.#path = path
    this.#bytes = bytes
    await this.watch(path)
    await sealed?.close()
  }

  /** Refuses all batches. A failed sync is not repeated: the kernel may have dropped the pages and would report success. */
  #fail(error: Error, batch: Batch): void {
    this.#failure = error
    batch.reject(error)
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error)
    this.#options.onFail(error)
  }

  #measure(syncMs: number): void {
    this.#syncs.syncs++
    this.#syncs.syncMsTotal += syncMs
    this.#syncs.syncMsMax = Math.max(this.#syncs.syncMsMax, syncMs)
    const next = this.#waiting[0]
    const isWaiting =
      next !== undefined && this.#options.clock.monotonicMs() - next.sinceMs >= UNSYNCED_MS_MAX
    if (this.#syncs.isStalled && !isWaiting) this.#stall(false)
  }

  #stall(isStalled: boolean): void {
    if (this.#syncs.isStalled === isStalled) return
    this.#syncs.isStalled = isStalled
    this.#options.onStall?.(isStalled, this.#unsyncedMs())
  }

  #unsyncedMs(): number {
    const oldest = this.#current ?? this.#waiting[0]
    return oldest === undefined ? 0 : this.#options.clock.monotonicMs() - oldest.sinceMs
  }
}

function newBatch(sinceMs: number): Batch {
  let resolve = (): void => {}
  let reject = (_: Error): void => {}
  const done = new Promise<void>((whenDone, whenFailed) => {
    resolve = whenDone
    reject = whenFailed
  })
  // Nobody waits for usage frames. `onFail` reports a failure.
  done.catch(() => {})
  return { payloads: [], bytes: 0, sinceMs, done, resolve, reject }
}
