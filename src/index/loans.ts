/** The readers of an index's memory: its owner, and the server threads and batches that borrow it, also from a borrower. */
import type { MemoryHandle } from '../platform/shared-memory.ts'

export interface LentIndex {
  /** Different for each opened index, also for two of the same build; the same for everybody who reads the same memory. */
  readonly id: number
  readonly path: string
  readonly memory: MemoryHandle
}

let lastId = 0

export class Loans {
  readonly #lent: LentIndex
  readonly #release: () => Promise<void>
  /** The owner counts as one. */
  #readers = 1
  #isRetired = false
  readonly #released: Promise<void>
  #settle: (outcome: Promise<void>) => void = () => {}

  /** @param release called once, when nobody reads the memory any more @param id that of the lender, when the index is borrowed */
  constructor(path: string, memory: MemoryHandle, release: () => Promise<void>, id = ++lastId) {
    this.#lent = { id, path, memory }
    this.#release = release
    this.#released = new Promise(resolve => {
      this.#settle = resolve
    })
  }

  get isRetired(): boolean {
    return this.#isRetired
  }

  /** Runs `work`. The index stays in memory until it has ended. @throws what `work` throws, or Error when the index was released */
  async lend<T>(work: (lent: LentIndex) => Promise<T>): Promise<T> {
    if (this.#readers === 0) throw new Error(`${this.#lent.path}: the index has been released`)
    this.#readers++
    try {
      return await work(this.#lent)
    } finally {
      this.#end()
    }
  }

  /** The owner needs the index no longer. Resolves when its memory has been released, after the last loan. */
  retire(): Promise<void> {
    if (!this.#isRetired) {
      this.#isRetired = true
      this.#end()
    }
    return this.#released
  }

  #end(): void {
    if (--this.#readers === 0) this.#settle(this.#release())
  }
}
