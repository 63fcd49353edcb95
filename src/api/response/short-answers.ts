/**
 * Answers to the first characters that people type, which are the same for many of them and take the longest to find. Each thread keeps
 * those of its index, within a bound of bytes, and forgets all of them when that is reached.
 */
import type { PostalIndex } from '../../index/postal-index.ts'
import { SHORT_ANSWERS_BYTES_MAX } from '../../limits.ts'

/** What a `Map` takes for one entry beyond the bytes of the answer, at least. */
const ENTRY_BYTES = 256

export class ShortAnswers {
  readonly #bytesMax: number
  #index: PostalIndex | undefined
  #answers = new Map<string, Uint8Array>()
  #bytes = 0

  constructor(bytesMax: number = SHORT_ANSWERS_BYTES_MAX) {
    this.#bytesMax = bytesMax
  }

  /** What is kept under `name`. A question to another index than the last one forgets everything. */
  get(index: PostalIndex, name: string): Uint8Array | undefined {
    if (index !== this.#index) {
      this.#clear()
      this.#index = index
    }
    return this.#answers.get(name)
  }

  /** Keeps a copy of `answer`, of the index that `get` was asked about last. */
  keep(name: string, answer: Uint8Array): void {
    const bytes = answer.length + ENTRY_BYTES
    if (this.#bytes + bytes > this.#bytesMax) this.#clear()
    if (bytes > this.#bytesMax) return
    this.#answers.set(name, new Uint8Array(answer))
    this.#bytes += bytes
  }

  #clear(): void {
    this.#answers = new Map()
    this.#bytes = 0
  }
}
