/**
 * Until when a node of a fleet may charge what it holds without having heard of its database again, by the wall clock: a process that
 * was stopped for a day must charge nothing that the database has given to others meanwhile. The thread that would say so may be
 * later than this one to go on, so nothing that another thread has stored replaces a reading right before each charge.
 */
import type { Timeline } from '../../ledger/timeline.ts'
import { CHARGE_UNTIL_S, IN_FLEET } from '../live/live-layout.ts'

export class LeaseDeadline {
  readonly #header: Int32Array
  readonly #timeline: Timeline
  readonly #isSet: boolean
  #hasPassed = false

  /** @param header of the live state */
  constructor(header: Int32Array, timeline: Timeline) {
    this.#header = header
    this.#timeline = timeline
    this.#isSet = header[IN_FLEET] === 1
  }

  /** In a fleet, a reading of the clock, which costs more than the rest of a charge; nothing elsewhere. */
  hasPassed(): boolean {
    if (!this.#isSet) return false
    this.#hasPassed = this.#timeline.wallMs() >= this.#header[CHARGE_UNTIL_S] * 1000
    return this.#hasPassed
  }

  /** As `hasPassed`, but the clock is read only if it had passed the last time. Whatever this allows, `hasPassed` still decides. */
  isKnownToHavePassed(): boolean {
    return this.#hasPassed && this.hasPassed()
  }
}
