/** Validates one bulk body against an index. The same code runs in workers and, for small bodies, on the main thread. */
import type { PostalIndex } from '../index/postal-index.ts'
import type { BulkResult } from './bulk-result.ts'
import { RecordWriter } from './record-writer.ts'
import { BatchScanner } from './scan-batch.ts'

export class BatchValidator {
  readonly #scanner: BatchScanner

  constructor(index: PostalIndex) {
    this.#scanner = new BatchScanner(new RecordWriter(index))
  }

  /** The result for `body`. Its `bytes` are overwritten by the next call. */
  validate(body: Uint8Array): BulkResult {
    return this.#scanner.scan(body)
  }
}
