/** Notifies the operator while another transaction holds rows of accounts for long: exchanges leave these accounts out. */
import { FLEET_LEFT_MS } from './limits.ts'

export class LeftNotice {
  /** By the monotonic clock; null: the last exchange has left none out. */
  #sinceMs: number | null = null
  #isNoticed = false
  onNotice: (notice: string) => void = () => {}

  /** Whether the last exchange has left accounts out. */
  get isLeft(): boolean {
    return this.#sinceMs !== null
  }

  /** @param accounts how many an exchange has left out */
  exchanged(accounts: number): void {
    const nowMs = performance.now()
    this.#sinceMs = accounts === 0 ? null : (this.#sinceMs ?? nowMs)
    const isLong = this.#sinceMs !== null && nowMs - this.#sinceMs > FLEET_LEFT_MS
    if (isLong && !this.#isNoticed) {
      this.#isNoticed = true
      this.onNotice(
        `another transaction holds rows of ${accounts} accounts in the database: this node charges what it holds of them, and leases no more. ` +
          "`select * from pg_stat_activity where state = 'idle in transaction'` may show it",
      )
    }
    if (this.#sinceMs !== null || !this.#isNoticed) return
    this.#isNoticed = false
    this.onNotice('no other transaction holds rows of accounts any more')
  }
}
