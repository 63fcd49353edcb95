/** A naive model of accounts: lists of everything that happened, summed up again for each question. */

import type { RateLimits } from '../../../src/billing/ledger/event.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'

const MINUTE_MS = 60_000
const WINDOWS: [keyof RateLimits, number][] = [
  ['perMinute', MINUTE_MS],
  ['perHour', 60 * MINUTE_MS],
  ['perDay', 24 * 60 * MINUTE_MS],
]

export type Admitted = { timeMs: number; queries: number }

export class ModelAccount {
  readonly email: string
  /** Signed changes of the balance by credits and adjustments. */
  readonly entries: number[] = []
  readonly keys: ModelKey[] = []
  readonly admitted: Admitted[] = []
  debtMicros = 0
  limits: RateLimits | null = null

  constructor(email: string) {
    this.email = email
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

  /** Queries in the present window of the account's limits. */
  countIn(windowMs: number, timeMs: number): number {
    return countIn(this.admitted, windowMs, timeMs)
  }
}

export class ModelKey {
  readonly account: ModelAccount
  readonly id: string
  readonly charges: { timeMs: number; usage: number; queries: number }[] = []
  isRevoked = false
  capMicros: number | null = null
  expiresMs: number | null = null
  /** Limits of the key, and the queries that they admitted. */
  limits: RateLimits | null = null
  readonly admitted: Admitted[] = []
  /** Secrets of the key, the present one last, each with its time of expiry. */
  readonly secrets: { secret: string; untilMs: number }[]

  constructor(account: ModelAccount, secret: string, id: string) {
    this.account = account
    this.secrets = [{ secret, untilMs: Number.POSITIVE_INFINITY }]
    this.id = id
  }

  spentMicros(): number {
    return sum(this.charges.map(({ queries }) => queries)) * QUERY_PRICE_MICROS
  }

  queries(usage: number): number {
    return sum(this.charges.filter(charge => charge.usage === usage).map(({ queries }) => queries))
  }

  /** True if the secret works: the present one, or the one before it. */
  isAnswered(secret: string, timeMs: number): boolean {
    const index = this.secrets.findIndex(other => other.secret === secret)
    const isExpired = this.expiresMs !== null && timeMs >= this.expiresMs
    return (
      !this.isRevoked &&
      !isExpired &&
      index >= this.secrets.length - 2 &&
      timeMs < this.secrets[index].untilMs
    )
  }

  roll(secret: string, untilMs: number): void {
    this.endOverlap(untilMs)
    this.secrets[this.secrets.length - 1].untilMs = untilMs
    this.secrets.push({ secret, untilMs: Number.POSITIVE_INFINITY })
  }

  endOverlap(timeMs: number): void {
    const earlier = this.secrets.at(-2)
    if (earlier !== undefined) earlier.untilMs = Math.min(earlier.untilMs, timeMs)
  }

  /** Returns the whole seconds until the same request can pass. Returns 0 and counts it if it passes now. */
  admit(queries: number, timeMs: number): number {
    const { account } = this
    const waits = [
      secondsUntilAdmitted(account.limits, account.admitted, queries, timeMs),
      secondsUntilAdmitted(this.limits, this.admitted, queries, timeMs),
    ]
    const wait = Math.max(...waits)
    if (wait > 0) return wait
    if (account.limits !== null) account.admitted.push({ timeMs, queries })
    if (this.limits !== null) this.admitted.push({ timeMs, queries })
    return 0
  }

  /** True if balance and cap allow `queries` more. */
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

/** Returns the whole seconds until a request passes, given the `admitted` ones; 0 means now. */
function secondsUntilAdmitted(
  limits: RateLimits | null,
  admitted: readonly Admitted[],
  queries: number,
  timeMs: number,
): number {
  if (limits === null || fits(limits, admitted, queries, timeMs)) return 0
  // Only the end of a window changes the answer. A limit below the request never does.
  const ends = WINDOWS.map(([, windowMs]) => (Math.floor(timeMs / windowMs) + 1) * windowMs)
  const possible = ends.find(endMs => fits(raiseLimits(limits, queries), admitted, queries, endMs))
  const tooSmall = WINDOWS.filter(([name]) => (limits[name] ?? queries) < queries).map(
    ([, windowMs]) => windowMs,
  )
  const atLeast = Math.max(0, ...tooSmall.map(windowMs => (Math.floor(timeMs / windowMs) + 1) * windowMs))
  return Math.max(1, Math.ceil((Math.max(possible ?? 0, atLeast) - timeMs) / 1000))
}

export function countIn(admitted: readonly Admitted[], windowMs: number, timeMs: number): number {
  const window = Math.floor(timeMs / windowMs)
  const inside = admitted.filter(request => Math.floor(request.timeMs / windowMs) === window)
  return sum(inside.map(({ queries }) => queries))
}

function fits(limits: RateLimits, admitted: readonly Admitted[], queries: number, timeMs: number): boolean {
  return WINDOWS.every(([name, windowMs]) => {
    const limit = limits[name]
    return limit === null || countIn(admitted, windowMs, timeMs) + queries <= limit
  })
}

/** Returns the limits that a request of `queries` fits into when they are unused. */
function raiseLimits(limits: RateLimits, queries: number): RateLimits {
  const raise = (limit: number | null): number | null => (limit === null ? null : Math.max(limit, queries))
  return { perMinute: raise(limits.perMinute), perHour: raise(limits.perHour), perDay: raise(limits.perDay) }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
