/** The readers of an index's memory: its owner, and the server threads and batches that borrow it, also from a borrower. */
import type { MemoryHandle } from '../platform/shared-memory.ts'

export interface LentIndex {
  /** Different for each opened index, also for two of the same build; the same for everybody who reads the same memory. */
  readonly id: number
  readonly path: string
  readonly memory: MemoryHandle
}

let lastId = 0

export type Loans = ReturnType<typeof loansOf>

/** @param release called once, when nobody reads the memory any more @param id that of the lender, when the index is borrowed */
export function loansOf(path: string, memory: MemoryHandle, release: () => Promise<void>, id = ++lastId) {
  const lent: LentIndex = { id, path, memory }
  /** The owner counts as one. */
  let readers = 1
  let isRetired = false
  let settle: (outcome: Promise<void>) => void = () => {}
  const released = new Promise<void>(resolve => {
    settle = resolve
  })
  const end = (): void => {
    if (--readers === 0) settle(release())
  }

  return {
    get isRetired(): boolean {
      return isRetired
    },
    /** Runs `work`. The index stays in memory until it has ended. @throws what `work` throws, or Error when the index was released */
    async lend<T>(work: (lent: LentIndex) => Promise<T>): Promise<T> {
      if (readers === 0) throw new Error(`${path}: the index has been released`)
      readers++
      try {
        return await work(lent)
      } finally {
        end()
      }
    },
    /** The owner needs the index no longer. Resolves when its memory has been released, after the last loan. */
    retire(): Promise<void> {
      if (!isRetired) {
        isRetired = true
        end()
      }
      return released
    },
  }
}
