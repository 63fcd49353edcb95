/**
 * The time of the fleet, which is that of its database. What ends at a time (a key, the earlier secret of one that was rolled, an
 * invitation) ends on all nodes at once, whatever their own clocks say.
 */
import { CHARGE_UNTIL_S, CLOCK_AHEAD_MS } from '../accounts/live/live-layout.ts'
import type { Timeline } from '../ledger/timeline.ts'
import { FLEET_CLOCKS_APART_MS, FLEET_SILENT_MS_MAX } from './limits.ts'
import type { FleetStore } from './store.ts'

const WORD_MAX = 2 ** 31 - 1

/** This node's time, and its wall clock. */
type OwnTime = Pick<Timeline, 'nowMs' | 'wallMs'>

export class FleetClock {
  readonly #store: Pick<FleetStore, 'nowMs'>
  /** This node's own time. */
  readonly #own: OwnTime
  /** Of the live state: server threads read it there. */
  readonly #header: Int32Array
  readonly #onNotice: (notice: string) => void
  #isApart = false

  constructor(
    store: Pick<FleetStore, 'nowMs'>,
    own: OwnTime,
    header: Int32Array,
    onNotice: (notice: string) => void,
  ) {
    this.#store = store
    this.#own = own
    this.#header = header
    this.#onNotice = onNotice
  }

  /** Milliseconds since 1970 by the database's clock, as far as the last measurement says. */
  nowMs(): number {
    return this.#own.nowMs() + this.aheadMs
  }

  /** By how much the database is ahead of this node; negative: behind. */
  get aheadMs(): number {
    return this.#header[CLOCK_AHEAD_MS]
  }

  /** Makes a call that the database answers only to this node's present epoch: from when it was asked, leases are kept for a day. */
  async confirming<T>(call: () => Promise<T>): Promise<T> {
    const askedMs = this.#own.wallMs()
    const answer = await call()
    this.#header[CHARGE_UNTIL_S] = Math.floor((askedMs + FLEET_SILENT_MS_MAX) / 1000)
    return answer
  }

  /** Compares the two clocks, to half the time that the answer takes. @throws UnavailableError */
  async measure(): Promise<void> {
    const askedMs = this.#own.nowMs()
    const databaseMs = await this.#store.nowMs()
    const tookMs = Math.max(0, this.#own.nowMs() - askedMs)
    const aheadMs = Math.round(databaseMs - askedMs - tookMs / 2)
    this.#header[CLOCK_AHEAD_MS] = Math.max(-WORD_MAX, Math.min(WORD_MAX, aheadMs))
    const isApart = Math.abs(aheadMs) > FLEET_CLOCKS_APART_MS
    if (isApart && !this.#isApart) {
      const seconds = Math.round(Math.abs(aheadMs) / 1000)
      this.#onNotice(
        `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'behind' : 'ahead of'} that of the database, which counts: set both`,
      )
    }
    this.#isApart = isApart
  }
}
