/** Validates or looks up the records of one bulk body. The same code runs in workers and, for small bodies, on the main thread. */
import type { PostalIndex } from '../index/postal-index.ts'
import type { BatchKind, BulkResult } from './bulk-result.ts'
import { parseBatch } from './parse-batch.ts'
import { RecordWriter } from './record-writer.ts'
import { BatchScanner } from './scan-batch.ts'

export class BatchValidator {
  readonly #writer: RecordWriter
  readonly #scanner: BatchScanner

  constructor(index: PostalIndex, kind: BatchKind = 'validate') {
    this.#writer = new RecordWriter(index, kind)
    this.#scanner = new BatchScanner(this.#writer)
  }

  /** The result for `body`. Its `bytes` are overwritten by the next call. */
  validate(body: Uint8Array): BulkResult {
    return this.#scanner.scan(body) ?? parseBatch(body, this.#writer)
  }
}
