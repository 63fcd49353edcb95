/** Validates or looks up the records of one bulk body. The same code runs in workers and, for small bodies, on the main thread. */
import type { PostalIndex } from '../index/postal-index.ts'
import type { BatchKind, BulkResult } from './bulk-result.ts'
import { RecordWriter } from './record-writer.ts'
import { BatchScanner } from './scan-batch.ts'

export class BatchValidator {
  readonly #scanner: BatchScanner

  constructor(index: PostalIndex, kind: BatchKind = 'validate') {
    this.#scanner = new BatchScanner(new RecordWriter(index, kind))
  }

  /** The result for `body`. Its `bytes` are overwritten by the next call. */
  validate(body: Uint8Array): BulkResult {
    return this.#scanner.scan(body)
  }
}
