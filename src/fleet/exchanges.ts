/** Sends the exchanges of one epoch: numbered, one after the other, each repeated until the database has answered. */
import { FLEET_SILENT_MS_MAX } from './limits.ts'
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
  /** It has been silent for so long that it may give up what this node holds. Nothing may be charged any more. */
  onSilent(): void
}

export class Exchanges {
  readonly #store: FleetStore
  readonly #identity: NodeIdentity
  readonly #events: ExchangeEvents
  #number = 0
  #isAway = false
  #isStopped = false
  /** When the database last answered, by both clocks: a machine that sleeps stops one of them. */
  #answeredMs = performance.now()
  #answeredWallMs = Date.now()

  constructor(store: FleetStore, identity: NodeIdentity, events: ExchangeEvents) {
    this.#store = store
    this.#identity = identity
    this.#events = events
  }

  get isAway(): boolean {
    return this.#isAway
  }

  /** Exchanges answered in this epoch, and milliseconds since the last one. For metrics. */
  get state(): { exchanges: number; silentMs: number } {
    return { exchanges: this.#number, silentMs: performance.now() - this.#answeredMs }
  }

  /** Ends the repetitions: what has not been answered is reported by the next start. */
  stop(): void {
    this.#isStopped = true
  }

  /** @throws FencedError; UnavailableError once stopped; Error when the database refuses the exchange as faulty */
  readonly send = async (exchange: Omit<Exchange, 'number'>): Promise<ExchangeAnswer> => {
    const numbered = { number: ++this.#number, ...exchange }
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
      try {
        const answer = await this.#store.exchange(this.#identity, numbered)
        this.#answered()
        return answer
      } catch (error) {
        if (!(error instanceof UnavailableError) || this.#isStopped) throw error
        this.#unanswered()
      }
      await new Promise(resolve => setTimeout(resolve, waitMs))
    }
  }

  #answered(): void {
    this.#answeredMs = performance.now()
    this.#answeredWallMs = Date.now()
    if (!this.#isAway) return
    this.#isAway = false
    this.#events.onAway(false)
  }

  #unanswered(): void {
    const silentMs = Math.max(performance.now() - this.#answeredMs, Date.now() - this.#answeredWallMs)
    if (silentMs > FLEET_SILENT_MS_MAX) this.#events.onSilent()
    if (this.#isAway) return
    this.#isAway = true
    this.#events.onAway(true)
  }
}
