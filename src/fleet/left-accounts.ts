/** Accounts that exchanges leave out, because another transaction holds their rows. */
import { LEASE_WAIT_MS_MAX } from '../limits.ts'
import { FLEET_LEFT_MS } from './limits.ts'

export class LeftAccounts {
  /** Since when each has been left out, without a break, by the monotonic clock. */
  #sinceMs = new Map<number, number>()
  #isNoticed = false
  onNotice: (notice: string) => void = () => {}

  /** Whether the last exchange has left accounts out. */
  get isAny(): boolean {
    return this.#sinceMs.size > 0
  }

  /** Whether requests of an account wait in vain: it has been left out for longer than any of them may wait. */
  isStuck(account: number): boolean {
    const sinceMs = this.#sinceMs.get(account)
    return sinceMs !== undefined && performance.now() - sinceMs > LEASE_WAIT_MS_MAX
  }

  /** Notes what an exchange has left out, and notifies the operator of what takes long. */
  exchanged(left: readonly number[]): void {
    const nowMs = performance.now()
    this.#sinceMs = new Map(left.map(account => [account, this.#sinceMs.get(account) ?? nowMs]))
    const stuck = [...this.#sinceMs.values()].filter(sinceMs => nowMs - sinceMs > FLEET_LEFT_MS).length
    if (stuck > 0 && !this.#isNoticed) {
      this.#isNoticed = true
      this.onNotice(
        `another transaction holds rows of ${stuck} accounts in the database: this node charges what it holds of them, and leases no more. ` +
          "`select * from pg_stat_activity where state = 'idle in transaction'` may show it",
      )
    }
    if (this.isAny || !this.#isNoticed) return
    this.#isNoticed = false
    this.onNotice('no other transaction holds rows of accounts any more')
  }
}
