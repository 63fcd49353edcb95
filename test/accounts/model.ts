/** What accounts should do, by the most naive means: lists of everything that happened, summed up again at each question. */

import type { RateLimits } from '../../src/accounts/types.ts'
import type { Role } from '../../src/accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'

const MINUTE_MS = 60_000
const WINDOWS: [keyof RateLimits, number][] = [
  ['perMinute', MINUTE_MS],
  ['perHour', 60 * MINUTE_MS],
  ['perDay', 24 * 60 * MINUTE_MS],
]

export class ModelAccount {
  readonly email: string
  /** Signed changes of the balance by credits and adjustments. */
  readonly entries: number[] = []
  readonly keys: ModelKey[] = []
  readonly admitted: { timeMs: number; queries: number }[] = []
  debtMicros = 0
  limits: RateLimits | null = null
  /** What the account's team says; null: was a member once. */
  readonly roles = new Map<ModelAccount, Role | null>()

  constructor(email: string) {
    this.email = email
  }

  roleOf(person: ModelAccount): Role | null {
    return this.roles.get(person) ?? (person === this && !this.roles.has(this) ? 'owner' : null)
  }

  balanceMicros(): number {
    return sum(this.entries) - sum(this.keys.map(key => key.spentMicros()))
  }

  credit(micros: number): void {
    const paid = Math.min(this.debtMicros, micros)
    this.debtMicros -= paid
    this.entries.push(micros - paid)
  }

  adjust(micros: number): void {
    const taken = Math.min(this.balanceMicros(), micros)
    this.debtMicros += micros - taken
    this.entries.push(-taken)
  }

  /** Whole seconds until the same request could pass, or 0 and counted. */
  admit(queries: number, timeMs: number): number {
    const { limits } = this
    if (limits === null) return 0
    if (this.#fits(limits, queries, timeMs)) {
      this.admitted.push({ timeMs, queries })
      return 0
    }
    // Only the end of a window can change the answer; a limit below the request never does.
    const ends = WINDOWS.map(([, windowMs]) => (Math.floor(timeMs / windowMs) + 1) * windowMs)
    const possible = ends.find(endMs => this.#fits(raised(limits, queries), queries, endMs))
    const tooSmall = WINDOWS.filter(([name]) => (limits[name] ?? queries) < queries).map(
      ([, windowMs]) => windowMs,
    )
    const atLeast = Math.max(0, ...tooSmall.map(windowMs => (Math.floor(timeMs / windowMs) + 1) * windowMs))
    return Math.max(1, Math.ceil((Math.max(possible ?? 0, atLeast) - timeMs) / 1000))
  }

  countIn(windowMs: number, timeMs: number): number {
    const window = Math.floor(timeMs / windowMs)
    const inside = this.admitted.filter(request => Math.floor(request.timeMs / windowMs) === window)
    return sum(inside.map(({ queries }) => queries))
  }

  #fits(limits: RateLimits, queries: number, timeMs: number): boolean {
    return WINDOWS.every(([name, windowMs]) => {
      const limit = limits[name]
      return limit === null || this.countIn(windowMs, timeMs) + queries <= limit
    })
  }
}

export class ModelKey {
  readonly account: ModelAccount
  readonly secret: string
  readonly id: string
  readonly charges: { timeMs: number; usage: number; queries: number }[] = []
  isRevoked = false
  capMicros: number | null = null

  constructor(account: ModelAccount, secret: string, id: string) {
    this.account = account
    this.secret = secret
    this.id = id
  }

  spentMicros(): number {
    return sum(this.charges.map(({ queries }) => queries)) * QUERY_PRICE_MICROS
  }

  queries(usage: number): number {
    return sum(this.charges.filter(charge => charge.usage === usage).map(({ queries }) => queries))
  }

  /** Whether balance and cap allow `queries` more. */
  allows(queries: number, timeMs: number): boolean {
    const micros = queries * QUERY_PRICE_MICROS
    if (this.account.balanceMicros() < micros) return false
    if (this.capMicros === null) return true
    const month = new Date(timeMs).toISOString().slice(0, 7)
    const inMonth = this.charges.filter(charge => new Date(charge.timeMs).toISOString().startsWith(month))
    const spentMicros = sum(inMonth.map(charge => charge.queries)) * QUERY_PRICE_MICROS
    return spentMicros + micros <= this.capMicros
  }
}

/** Limits that a request of `queries` fits into, were they unused. */
function raised(limits: RateLimits, queries: number): RateLimits {
  const raise = (limit: number | null): number | null => (limit === null ? null : Math.max(limit, queries))
  return { perMinute: raise(limits.perMinute), perHour: raise(limits.perHour), perDay: raise(limits.perDay) }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
