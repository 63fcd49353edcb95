/** The writer's end of the ledger: group commit. One batch is written and synced while the next one gathers. */

import type { FileSystem, OpenFile } from '../disk/file-system.ts'
import { segmentPath, writeAll } from '../disk/files.ts'
import { encodeFileHeader, FILE_HEADER_BYTES, SEGMENT_MAGIC } from './file-header.ts'
import { type Chain, encodeBatch } from './frame.ts'
import type { Anchor } from './walk.ts'

export const SEGMENT_BYTES_MAX = 64 * 1024 * 1024

export interface LogOptions {
  fs: FileSystem
  folder: string
  ledgerId: Buffer
  /** The last frame in the ledger; its epoch is already this writer's. */
  chain: Chain
  /** The segment to append to and its length, or null to begin a new one. */
  last: { path: string; bytes: number } | null
  segmentBytesMax?: number | undefined
  nowMs: () => number
  /** Called after each sync with the last durable sequence number. */
  onDurable: (sequence: number) => void
  /** Called once, when a write or sync has failed. Nothing is written afterwards. */
  onFail: (error: Error) => void
  /** Called when a segment is complete and the next one has begun. */
  onSealed?: (lastSequence: number) => void
}

/** What waits for the next sync. */
interface Gathering {
  payloads: Uint8Array[]
  done: Promise<void>
  resolve: () => void
  reject: (error: Error) => void
}

export class Log {
  /** The last sequence number given out, and the last one synced. */
  sequence: number
  durableSequence: number
  readonly #options: LogOptions
  readonly #chain: Chain
  #file: OpenFile | null = null
  #fileBytes = 0
  #next: Gathering = gather()
  /** The batch being written, while one is, and the loop that writes batches. */
  #current: Gathering | null = null
  #writing: Promise<void> | null = null
  #failure: Error | null = null

  private constructor(options: LogOptions) {
    this.#options = options
    this.#chain = { ...options.chain }
    this.sequence = this.#chain.sequence
    this.durableSequence = this.#chain.sequence
  }

  /**
   * Opens the last segment, or begins one. What a dead process left unsynced in it is synced first: the first new frame
   * will claim that all before it is durable.
   */
  static async open(options: LogOptions): Promise<Log> {
    const log = new Log(options)
    if (options.last === null) {
      await log.#beginSegment()
    } else {
      log.#file = await options.fs.open(options.last.path, 'write')
      log.#fileBytes = options.last.bytes
      await log.#file.sync()
      await options.fs.syncFolder(options.folder)
    }
    return log
  }

  /** Puts one frame into the next batch and returns its sequence number. Costs no system call. */
  append(payload: Uint8Array): number {
    this.sequence++
    this.#next.payloads.push(payload)
    this.#writing ??= this.#run()
    return this.sequence
  }

  /** Resolves when all that was appended so far is durable. @throws the error of the write or sync that failed */
  async settled(): Promise<void> {
    if (this.#failure !== null) throw this.#failure
    const last = this.#next.payloads.length > 0 ? this.#next : this.#current
    await last?.done
  }

  /** The last durable frame, for a snapshot; null after a failure, when there is none to be sure of. */
  position(): Anchor | null {
    return this.#failure === null ? { ...this.#chain, ledgerId: this.#options.ledgerId } : null
  }

  /** Waits for what was appended and closes the segment. */
  async close(): Promise<void> {
    while (this.#writing !== null) await this.#writing
    await this.#file?.close()
    this.#file = null
  }

  async #run(): Promise<void> {
    // The turn of the event loop ends first, so that all its commands share one sync.
    await null
    while (this.#next.payloads.length > 0 && this.#failure === null) {
      const batch = this.#next
      this.#next = gather()
      this.#current = batch
      try {
        await this.#commit(batch.payloads)
        batch.resolve()
      } catch (error) {
        this.#fail(error instanceof Error ? error : new Error(String(error)), batch)
      }
    }
    this.#current = null
    this.#writing = null
  }

  async #commit(payloads: Uint8Array[]): Promise<void> {
    const { segmentBytesMax = SEGMENT_BYTES_MAX, onDurable } = this.#options
    if (this.#fileBytes >= segmentBytesMax) await this.#beginSegment()
    if (this.#file === null) throw new Error('the ledger is closed')
    const bytes = encodeBatch(payloads, this.#chain)
    await writeAll(this.#file, bytes, this.#fileBytes)
    await this.#file.sync()
    this.#fileBytes += bytes.length
    this.durableSequence = this.#chain.sequence
    onDurable(this.durableSequence)
  }

  async #beginSegment(): Promise<void> {
    const { fs, folder, ledgerId, nowMs, onSealed } = this.#options
    const sealed = this.#file
    const sequence = this.#chain.sequence + 1
    const file = await fs.create(segmentPath(folder, sequence))
    const header = {
      epoch: this.#chain.epoch,
      ledgerId,
      sequence,
      chainCrc: this.#chain.crc,
      createdMs: nowMs(),
    }
    await writeAll(file, encodeFileHeader(SEGMENT_MAGIC, header), 0)
    await file.sync()
    await fs.syncFolder(folder)
    this.#file = file
    this.#fileBytes = FILE_HEADER_BYTES
    if (sealed === null) return
    await sealed.close()
    onSealed?.(this.#chain.sequence)
  }

  /** A failed write or sync is never tried again: the kernel may have dropped the pages and would report success. */
  #fail(error: Error, batch: Gathering): void {
    this.#failure = error
    batch.reject(error)
    this.#next.reject(error)
    this.#options.onFail(error)
  }
}

function gather(): Gathering {
  let resolve = (): void => {}
  let reject = (_: Error): void => {}
  const done = new Promise<void>((whenDone, whenFailed) => {
    resolve = whenDone
    reject = whenFailed
  })
  // Usage frames have no one waiting; a failure reaches everyone through `onFail`.
  done.catch(() => {})
  return { payloads: [], done, resolve, reject }
}
