/** Readers of an index's memory: its owner, and threads that borrow it, also from a borrower. */
import type { MemoryHandle } from '../../platform/shared-memory.ts'

export interface LentIndex {
  /** Number of the opened index. All readers of one memory have the same. */
  readonly id: number
  readonly path: string
  readonly memory: MemoryHandle
}

let lastId = 0

export type Loans = ReturnType<typeof loansOf>

/** @param release called once after the last reader @param id the lender's id, for a borrowed index */
export function loansOf(path: string, memory: MemoryHandle, release: () => Promise<void>, id = ++lastId) {
  const lent: LentIndex = { id, path, memory }
  /** Number of readers, the owner included. */
  let readers = 1
  let isRetired = false
  let resolveReleased: (outcome: Promise<void>) => void = () => {}
  const released = new Promise<void>(resolve => {
    resolveReleased = resolve
  })
  const end = (): void => {
    if (--readers === 0) resolveReleased(release())
  }

  return {
    get isRetired(): boolean {
      return isRetired
    },
    /** Runs `work` while the index stays in memory. @throws Error if the index was released */
    async lend<T>(work: (lent: LentIndex) => Promise<T>): Promise<T> {
      if (readers === 0) throw new Error(`${path}: the index has been released`)
      readers++
      try {
        return await work(lent)
      } finally {
        end()
      }
    },
    /** Ends the owner's use. Resolves when the memory is released, after the last loan. */
    retire(): Promise<void> {
      if (!isRetired) {
        isRetired = true
        end()
      }
      return released
    },
  }
}
