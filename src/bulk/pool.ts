/** Decides where work is done: small batches are validated at once, large ones and long lists go to a pool of workers. */
import type { CityQuery } from '../index/cities/city-search.ts'
import type { LentIndex } from '../index/loans.ts'
import type { PostalIndex } from '../index/postal-index.ts'
import { BULK_QUEUE_MAX, BULK_THRESHOLD_BYTES } from '../limits.ts'
import { type BatchForms, type BatchKind, type BulkResult, JSON_FORMS } from './bulk-result.ts'
import { listCodes } from './list-codes.ts'
import type { BulkTasks } from './tasks.ts'
import { BatchValidator } from './validate-batch.ts'

export class BulkPool {
  readonly #tasks: BulkTasks | undefined
  /** Buffers of answers that have been sent. */
  readonly #spare: ArrayBuffer[] = []
  #index: PostalIndex
  #validators: Map<BatchKind, BatchValidator> = new Map()

  /** @param tasks workers; without them every body is validated on the calling thread */
  constructor(index: PostalIndex, tasks?: BulkTasks) {
    this.#index = index
    this.#tasks = tasks
  }

  /** Tasks that wait for a worker. */
  get waiting(): number {
    return this.#tasks?.waiting ?? 0
  }

  /** Uses a newly built index for the batches that are added from now on. */
  replaceIndex(index: PostalIndex): void {
    this.#index = index
    this.#validators = new Map()
  }

  /** Whether a body of this many bytes is validated at once, without a worker. */
  isImmediate(bodyBytes: number): boolean {
    return this.#tasks === undefined || bodyBytes < BULK_THRESHOLD_BYTES
  }

  /** Validates on the calling thread. The result's bytes are overwritten by the next call. */
  validateNow(body: Uint8Array, kind: BatchKind = 'validate'): BulkResult {
    let validator = this.#validators.get(kind)
    if (validator === undefined) {
      validator = new BatchValidator(this.#index, kind)
      this.#validators.set(kind, validator)
    }
    return validator.validate(body)
  }

  /** Whether the queue has no room: the caller answers 503. */
  get full(): boolean {
    return this.waiting >= BULK_QUEUE_MAX
  }

  /**
   * Validates on a worker. `body` is moved there and must have a buffer of its own. Without workers it must be JSON, and so is the
   * answer.
   */
  async validateLater(
    body: Uint8Array<ArrayBuffer>,
    kind: BatchKind = 'validate',
    forms: BatchForms = JSON_FORMS,
  ): Promise<BulkResult> {
    const tasks = this.#tasks
    if (tasks === undefined) return this.validateNow(body, kind)
    const spare = this.#spare.pop()
    const task = (index: LentIndex) => tasks.run({ index, body, kind, forms, spare })
    // Each kind of task has its own kind of result.
    return (await this.#index.loans.lend(task)) as BulkResult
  }

  /** Has a worker list the codes of a city. @returns a JSON array in UTF-8 @throws as `listCodes` does */
  async listLater(cc: string, query: CityQuery): Promise<Uint8Array> {
    const tasks = this.#tasks
    if (tasks === undefined) return listCodes(this.#index, cc, query)
    return (await this.#index.loans.lend(index => tasks.run({ index, cc, query }))) as Uint8Array
  }

  /**
   * Takes back the buffer of a result of `validateLater` that has been sent. Otherwise the buffers of saturated workers make V8
   * collect all garbage ten times a second, for up to 8 ms each time.
   */
  reuse(result: BulkResult): void {
    if (result.error === null && this.#tasks !== undefined && this.#spare.length < this.#tasks.sparesMax)
      this.#spare.push(result.bytes.buffer as ArrayBuffer)
  }

  /** Finishes the tasks that have begun and ends the workers. */
  async close(): Promise<void> {
    await this.#tasks?.close()
  }
}
