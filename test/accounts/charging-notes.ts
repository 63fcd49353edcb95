/** Notes of threads whose process is killed: the charges that each made, and the one in progress. */
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { USAGE_NAMES } from '../../src/endpoints/table.ts'
import { mmap } from '../../src/platform/libc.ts'

export const USAGES = USAGE_NAMES.length
const SECRETS_MAX = 50
/** Threads that a test may have. */
const THREADS_MAX = 16
/** Cells of a thread: secret plus 1, class and queries of the charge in progress, then queries by secret and class. */
const CHARGED = 3
const CELLS = CHARGED + SECRETS_MAX * USAGES
const BYTES = THREADS_MAX * CELLS * 8

export class Notes {
  readonly #cells: Float64Array

  constructor(cells: Float64Array) {
    this.#cells = cells
  }

  static create(path: string): void {
    writeFileSync(path, new Uint8Array(BYTES))
  }

  static open(path: string, thread: number): Notes {
    const file = openSync(path, 'r+')
    const { buffer } = mmap(file, BYTES, 'write')
    closeSync(file)
    return new Notes(new Float64Array(buffer, thread * CELLS * 8, CELLS))
  }

  /** All of a dead process, by thread. */
  static read(bytes: Uint8Array): Notes[] {
    const memory = bytes.slice().buffer
    return Array.from({ length: THREADS_MAX }, (_, thread) => {
      return new Notes(new Float64Array(memory, thread * CELLS * 8, CELLS))
    })
  }

  begin(secret: number, usage: number, queries: number): void {
    this.#cells[1] = usage
    this.#cells[2] = queries
    this.#cells[0] = secret + 1
  }

  charged(secret: number, usage: number, queries: number): void {
    this.#cells[CHARGED + secret * USAGES + usage] += queries
  }

  end(): void {
    this.#cells[0] = 0
  }

  /** Queries that were acknowledged. */
  chargedTo(secret: number, usage: number): number {
    return this.#cells[CHARGED + secret * USAGES + usage]
  }

  /** Queries that may have been charged without having been acknowledged. */
  inProgress(secret: number, usage: number): number {
    const isThis = this.#cells[0] === secret + 1 && this.#cells[1] === usage
    return isThis ? this.#cells[2] : 0
  }
}
