/** The writer's end of the ledger: group commit. One batch is written and synced while the next one gathers. */
import { BATCH_BYTES_MAX, SEGMENT_BYTES_LIMIT, SEGMENT_BYTES_MAX } from '../../limits.ts'
import { type Chain, encodeBatch, expectPayload } from './frame.ts'
import { SegmentFiles, type SegmentFilesOptions } from './segment-files.ts'
import type { Anchor, LastSegment } from './walk.ts'

export interface SegmentLogOptions extends SegmentFilesOptions {
  /** The last frame in the ledger; its epoch is already this writer's. */
  chain: Chain
  /** The segment to append to, or null to begin a new one. */
  last: LastSegment | null
  /** Bytes at which a segment is complete, and at which one that cannot be followed by another ends the service. */
  segmentBytesMax?: number | undefined
  segmentBytesLimit?: number | undefined
  /** Called after each sync with the last durable sequence number. */
  onDurable: (sequence: number) => void
  /** Called once, when a write or sync has failed. Nothing is written afterwards. */
  onFail: (error: Error) => void
  /** Called when a segment is complete and the next one has begun. */
  onSealed?: (lastSequence: number) => void
}

/** Payloads that share a sync, and those who wait for it. */
interface Batch {
  payloads: Uint8Array[]
  bytes: number
  done: Promise<void>
  resolve: () => void
  reject: (error: Error) => void
}

export class SegmentLog {
  /** The last sequence number that was assigned, and the last one synced. */
  sequence: number
  durableSequence: number
  readonly #options: SegmentLogOptions
  readonly #chain: Chain
  readonly #files: SegmentFiles
  /** Batches that gather, in order. All but the last are full. */
  readonly #waiting: Batch[] = []
  /** The batch being written, while one is, and the loop that writes batches. */
  #current: Batch | null = null
  #writing: Promise<void> | null = null
  #failure: Error | null = null

  private constructor(options: SegmentLogOptions, chain: Chain, files: SegmentFiles) {
    this.#options = options
    this.#chain = chain
    this.#files = files
    this.sequence = chain.sequence
    this.durableSequence = chain.sequence
  }

  /** Opens the last segment, or begins one. */
  static async open(options: SegmentLogOptions): Promise<SegmentLog> {
    const chain = { ...options.chain }
    return new SegmentLog(options, chain, await SegmentFiles.open(options, options.last, chain))
  }

  /**
   * Puts one frame into the next batch and returns its sequence number. Costs no system call.
   * @throws RangeError for a payload that could not be read back, before anything has changed
   */
  append(payload: Uint8Array): number {
    expectPayload(payload)
    this.sequence++
    const batch = this.#gathering()
    batch.payloads.push(payload)
    batch.bytes += payload.length
    this.#writing ??= this.#run()
    return this.sequence
  }

  /** Resolves when all that was appended so far is durable. @throws the error of the write or sync that failed */
  async settled(): Promise<void> {
    if (this.#failure !== null) throw this.#failure
    const last = this.#waiting.at(-1) ?? this.#current
    await last?.done
  }

  /** Adds a file that must stay where it is: when it is gone after a sync, that sync counts as failed. */
  watch(path: string): Promise<void> {
    return this.#files.watch(path)
  }

  /** The last durable frame, for a snapshot; null after a failure, when there is none to be sure of. */
  position(): Anchor | null {
    return this.#failure === null ? { ...this.#chain, ledgerId: this.#options.ledgerId } : null
  }

  /** Waits for what was appended and closes the segment. */
  async close(): Promise<void> {
    while (this.#writing !== null) await this.#writing
    await this.#files.close()
  }

  #gathering(): Batch {
    const last = this.#waiting.at(-1)
    if (last !== undefined && last.bytes < BATCH_BYTES_MAX) return last
    const batch = newBatch()
    this.#waiting.push(batch)
    return batch
  }

  async #run(): Promise<void> {
    // The turn of the event loop ends first, so that all its commands share one sync.
    await null
    for (;;) {
      const batch = this.#failure === null ? this.#waiting.shift() : undefined
      if (batch === undefined) break
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
    if (this.#files.bytes >= (this.#options.segmentBytesMax ?? SEGMENT_BYTES_MAX)) await this.#beginSegment()
    await this.#files.append(encodeBatch(payloads, this.#chain))
    this.durableSequence = this.#chain.sequence
    this.#options.onDurable(this.durableSequence)
  }

  async #beginSegment(): Promise<void> {
    const { onSealed, segmentBytesLimit = SEGMENT_BYTES_LIMIT } = this.#options
    if (await this.#files.begin(this.#chain)) {
      onSealed?.(this.#chain.sequence)
      await this.#files.prepare()
    } else if (this.#files.bytes >= segmentBytesLimit) {
      const { bytes } = this.#files
      throw new Error(
        `no file descriptor is left for the next segment, and the present one has ${bytes} bytes`,
      )
    }
  }

  /** A failed write or sync is never tried again: the kernel may have dropped the pages and would report success. */
  #fail(error: Error, batch: Batch): void {
    this.#failure = error
    batch.reject(error)
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error)
    this.#options.onFail(error)
  }
}

function newBatch(): Batch {
  let resolve = (): void => {}
  let reject = (_: Error): void => {}
  const done = new Promise<void>((whenDone, whenFailed) => {
    resolve = whenDone
    reject = whenFailed
  })
  // Usage frames have no one waiting; a failure reaches everyone through `onFail`.
  done.catch(() => {})
  return { payloads: [], bytes: 0, done, resolve, reject }
}
