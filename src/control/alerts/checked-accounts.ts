/**
 * Which accounts are checked next: those that have changed, and now and then those with what no change reports. Caps end with the
 * month, limits with their window.
 */

/** The shortest time between two checks of such accounts. With more than 12,000 of them it takes longer. */
const SWEEP_MS = 15_000
/** The shortest time between two checks of all accounts, should a change ever not have been reported. */
const FULL_SWEEP_MS = 600_000

export class CheckedAccounts {
  readonly #all: () => Iterable<string>
  readonly #marked = new Set<string>()
  readonly #timed = new Set<string>()
  #sweptMs = 0
  #sweptAllMs = 0

  /** @param all every account that has chosen alerts */
  constructor(all: () => Iterable<string>) {
    this.#all = all
  }

  /** Has an account checked in one of the next turns. */
  mark(id: string): void {
    this.#marked.add(id)
  }

  /** Says whether an account is to be checked again without a change. */
  setTimed(id: string, isTimed: boolean): void {
    if (isTimed) this.#timed.add(id)
    else this.#timed.delete(id)
  }

  /** Up to `most` accounts to check in this turn, each of them once. A sweep begins when all that were marked are done. */
  take(most: number, nowMs: number): string[] {
    if (this.#marked.size === 0 && Math.abs(nowMs - this.#sweptMs) > SWEEP_MS) this.#sweep(nowMs)
    const taken: string[] = []
    for (const id of this.#marked) {
      if (taken.length === most) break
      this.#marked.delete(id)
      taken.push(id)
    }
    return taken
  }

  #sweep(nowMs: number): void {
    this.#sweptMs = nowMs
    const isFull = Math.abs(nowMs - this.#sweptAllMs) > FULL_SWEEP_MS
    if (isFull) this.#sweptAllMs = nowMs
    for (const id of isFull ? this.#all() : this.#timed) this.#marked.add(id)
  }
}
