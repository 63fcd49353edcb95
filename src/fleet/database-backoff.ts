/** When to try again to reach a database that was away: at once at first, then less and less often. */

const FIRST_MS = 50
const LAST_MS = 2000

export class Backoff {
  readonly #nowMs: () => number
  #delayMs = 0
  #untilMs = 0

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** Milliseconds until the next attempt; 0: now. */
  get waitMs(): number {
    return Math.max(0, this.#untilMs - this.#nowMs())
  }

  failed(): void {
    this.#delayMs = Math.min(LAST_MS, Math.max(FIRST_MS, this.#delayMs * 2))
    this.#untilMs = this.#nowMs() + this.#delayMs
  }

  succeeded(): void {
    this.#delayMs = 0
    this.#untilMs = 0
  }
}
