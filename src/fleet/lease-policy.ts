/**
 * How much of an account a node holds: as much as was spent there in the last two seconds, and never less than FIRST_QUERIES. So
 * what is in doubt when a node loses its disk is bounded by its customers' own spend.
 */
import { QUERY_PRICE_MICROS } from '../limits.ts'
import { FLEET_EXCHANGE_MS } from './limits.ts'

/** Time whose spend is leased ahead of need. */
export const AHEAD_MS = 2000
/** Queries that are leased ahead however little is spent, and by which the node may hold more than it would ask for. */
export const FIRST_QUERIES = 100
/** An account that has not been charged for so long gives everything back. */
export const IDLE_MS = 30_000

const FIRST_MICROS = FIRST_QUERIES * QUERY_PRICE_MICROS
const BUCKET_MS = FLEET_EXCHANGE_MS
/** One less than fill the time: what an exchange counts has been spent since the one before it. */
const BUCKETS = AHEAD_MS / BUCKET_MS - 1

/** What one node has spent of an account in the last AHEAD_MS: a ring of buckets. */
export class RecentSpend {
  readonly #buckets = new Float64Array(BUCKETS)
  /** Number of the newest bucket since the beginning of the clock. */
  #newest = 0

  add(micros: number, nowMs: number): void {
    this.#roll(nowMs)
    this.#buckets[this.#newest % BUCKETS] += micros
  }

  /** At most what was spent in the AHEAD_MS before `nowMs`, and at least what was spent in four fifths of that time. */
  micros(nowMs: number): number {
    this.#roll(nowMs)
    let sum = 0
    for (const micros of this.#buckets) sum += micros
    return sum
  }

  #roll(nowMs: number): void {
    const bucket = Math.floor(nowMs / BUCKET_MS)
    // After a long silence all buckets are old.
    if (bucket - this.#newest >= BUCKETS) this.#buckets.fill(0)
    else for (let old = this.#newest + 1; old <= bucket; old++) this.#buckets[old % BUCKETS] = 0
    this.#newest = Math.max(this.#newest, bucket)
  }
}

/** What a node would like to hold: whole queries. */
export function wantedMicros(recentMicros: number): number {
  return Math.max(FIRST_MICROS, Math.ceil(recentMicros / QUERY_PRICE_MICROS) * QUERY_PRICE_MICROS)
}

/** What it asks for ahead of need: nothing while it has half of what it wants, since an exchange is not worth less. */
export function missingMicros(heldMicros: number, wanted: number): number {
  return heldMicros < wanted / 2 ? wanted - heldMicros : 0
}

/** What it returns because less is spent than before. */
export function excessMicros(heldMicros: number, wanted: number): number {
  return heldMicros > wanted + FIRST_MICROS ? heldMicros - wanted : 0
}

/**
 * The most that a node holds of an account without capped keys after an exchange, besides what waiting requests have asked for.
 * @param recentMicros spent there in the AHEAD_MS before the exchange
 */
export function heldMicrosMax(recentMicros: number): number {
  return wantedMicros(recentMicros) + FIRST_MICROS
}
