/** The lease policy under random traffic in virtual time: what a node holds of an account is bounded by what was spent there. */
import t from 'tap'
import { FLEET_EXCHANGE_MS } from '../../src/fleet/fleet-bounds.ts'
import { AHEAD_MS, excessMicros, LeasedAccount, missingMicros } from '../../src/fleet/lease-policy.ts'
import type { AccountRecord } from '../../src/ledger/book/record.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { seededRandom } from '../ledger/random.ts'
import { heldMicrosMax } from './support.ts'

const PRICE = QUERY_PRICE_MICROS
const RUNS = 200
const STEPS = 400
const STEP_MS = 20
/** Queries in a step: nothing, a trickle, a load, a flood. */
const RATES = [0, 0, 1, 40, 2000]

/** One account at one node, whose database grants all that is asked for, after a moment. */
class Traffic {
  readonly #random
  readonly #record = { spentMicros: 0 }
  readonly #held: LeasedAccount
  readonly #charges: { timeMs: number; micros: number }[] = []
  #available = 0
  #unreported = 0
  #neededMicros = 0
  /** Spent in the two seconds before the last exchange. */
  #recentMicros = 0
  readonly worst = { ratio: 0 }

  constructor(seed: number) {
    this.#random = seededRandom(seed)
    this.#held = new LeasedAccount(this.#record as AccountRecord, 0)
  }

  run(): void {
    let rate = 0
    for (let step = 1; step <= STEPS; step++) {
      const nowMs = step * STEP_MS
      if (this.#random.below(25) === 0) rate = this.#random.pick(RATES)
      this.#charge(this.#random.below(rate + 1) * PRICE, nowMs)
      if (nowMs % FLEET_EXCHANGE_MS === 0) this.#exchange(nowMs)
      this.#expectBounded()
    }
  }

  /** Charges the lease; requests for the rest wait, have it granted, and are charged. */
  #charge(micros: number, nowMs: number): void {
    const needed = Math.max(0, micros - this.#available)
    if (needed > 0) {
      this.#exchange(nowMs)
      this.#neededMicros = Math.max(0, micros - this.#available)
      this.#available += this.#neededMicros
    }
    this.#available -= micros
    this.#unreported += micros
    this.#record.spentMicros += micros
    if (micros > 0) this.#charges.push({ timeMs: nowMs, micros })
  }

  #exchange(nowMs: number): void {
    this.#held.count(nowMs)
    this.#unreported = 0
    this.#neededMicros = 0
    const { aheadMicros } = this.#held
    this.#available -= excessMicros(this.#available, aheadMicros)
    this.#available += missingMicros(this.#available, aheadMicros)
    this.#recentMicros = this.#charges
      .filter(({ timeMs }) => timeMs > nowMs - AHEAD_MS - STEP_MS)
      .reduce((sum, { micros }) => sum + micros, 0)
  }

  #expectBounded(): void {
    const inDoubt = this.#available + this.#unreported
    const most = heldMicrosMax(this.#recentMicros) + this.#neededMicros
    this.worst.ratio = Math.max(this.worst.ratio, inDoubt / most)
    if (inDoubt <= most) return
    throw new Error(`${inDoubt} in doubt, ${this.#recentMicros} spent in two seconds: at most ${most}`)
  }
}

t.test('what is in doubt is at most the spend of two seconds, and the least lease twice', async t => {
  let worst = 0
  for (let seed = 1; seed <= RUNS; seed++) {
    const traffic = new Traffic(seed)
    traffic.run()
    worst = Math.max(worst, traffic.worst.ratio)
  }
  t.ok(worst > 0.9, `the bound is nearly reached: ${worst.toFixed(2)}`)
})
