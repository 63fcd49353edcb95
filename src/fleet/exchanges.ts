/** Sends the exchanges of a node: numbered in each epoch, one after the other, each repeated until the database has answered. */
import type { Clock } from '../ledger/clock.ts'
import { FLEET_LEAVE_MS, FLEET_SILENT_MS_MAX } from './limits.ts'
import {
  type Exchange,
  type ExchangeAnswer,
  type FleetStore,
  type NodeIdentity,
  UnavailableError,
} from './store.ts'

const RETRY_MS = 100
const RETRY_MS_MAX = 2000

export interface ExchangeEvents {
  /** The database does not answer, or answers again. */
  onAway(isAway: boolean): void
  /**
   * It has been silent for so long that it may give up what this node holds: nothing may be charged. Or it has answered under the
   * same epoch, so it has given up nothing.
   */
  onSilent(isSilent: boolean): void
}

/** By both clocks: a machine that sleeps stops one of them. */
export interface Moment {
  monotonicMs: number
  wallMs: number
}

export class Exchanges {
  readonly #store: FleetStore
  readonly #identity: NodeIdentity
  readonly #events: ExchangeEvents
  /** Of the newest exchange of this epoch. */
  #number = 0
  #count = 0
  #isAway = false
  #isSilent = false
  /** When the end began, by the monotonic clock. */
  #stoppedMs: number | null = null
  readonly #clock: Clock
  /** When the last call was sent that the database has answered. */
  #answered: Moment

  /** @param identity whose epoch may be raised, see `restart` */
  constructor(store: FleetStore, identity: NodeIdentity, events: ExchangeEvents, clock: Clock) {
    this.#store = store
    this.#identity = identity
    this.#events = events
    this.#clock = clock
    this.#answered = this.now()
  }

  get isAway(): boolean {
    return this.#isAway
  }

  /** Exchanges begun since the start, and milliseconds since the last one. For metrics. */
  get state(): { exchanges: number; silentMs: number } {
    return { exchanges: this.#count, silentMs: this.#clock.monotonicMs() - this.#answered.monotonicMs }
  }

  /** Ends the repetitions in a moment: what has not been answered by then is reported by the next start. */
  stop(): void {
    this.#stoppedMs ??= this.#clock.monotonicMs()
  }

  get isStopped(): boolean {
    return this.#stoppedMs !== null
  }

  /** The node has begun its next epoch. @param began before it asked for it, by both clocks */
  restart(began: Moment): void {
    this.#number = 0
    this.#isSilent = false
    this.#heard(began)
  }

  /**
   * @throws GivenUpError, FencedError; UnavailableError once stopped; Error when the database refuses the exchange as faulty
   */
  readonly send = async (exchange: Omit<Exchange, 'number'>): Promise<ExchangeAnswer> => {
    const numbered = { number: ++this.#number, ...exchange }
    this.#count++
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
      // A machine that has slept charges nothing more before the database has been asked.
      this.#watchSilence()
      const sent = this.now()
      try {
        const answer = await this.#store.exchange(this.#identity, numbered)
        this.#heard(sent)
        return answer
      } catch (error) {
        if (!(error instanceof UnavailableError) || this.#isOver) throw error
        this.#unanswered()
      }
      await new Promise(resolve => setTimeout(resolve, waitMs))
    }
  }

  get #isOver(): boolean {
    return this.#stoppedMs !== null && this.#clock.monotonicMs() - this.#stoppedMs > FLEET_LEAVE_MS
  }

  #heard(sent: Moment): void {
    this.#answered = sent
    // An answer may have waited for a machine that slept.
    this.#watchSilence()
    if (!this.#isAway) return
    this.#isAway = false
    this.#events.onAway(false)
  }

  #unanswered(): void {
    this.#watchSilence()
    if (this.#isAway) return
    this.#isAway = true
    this.#events.onAway(true)
  }

  #watchSilence(): void {
    const { monotonicMs, wallMs } = this.now()
    const { monotonicMs: sinceMs, wallMs: wallSinceMs } = this.#answered
    const isSilent = Math.max(monotonicMs - sinceMs, wallMs - wallSinceMs) > FLEET_SILENT_MS_MAX
    if (isSilent === this.#isSilent) return
    this.#isSilent = isSilent
    this.#events.onSilent(isSilent)
  }

  now(): Moment {
    return { monotonicMs: this.#clock.monotonicMs(), wallMs: this.#clock.wallMs() }
  }
}
