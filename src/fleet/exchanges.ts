/** Sends the exchanges of a node: numbered, one after the other, each repeated until the database has answered. */
import { CHARGE_UNTIL_S, DATABASE_AWAY } from '../accounts/live/live-layout.ts'
import type { Clock } from '../ledger/clock.ts'
import { UnavailableError } from './database-errors.ts'
import { FLEET_AWAY_MS_MAX, FLEET_LEAVE_MS, FLEET_SILENT_MS_MAX } from './fleet-bounds.ts'
import { confirm } from './fleet-node.ts'
import type { PostgresStore } from './postgres-store.ts'
import type { Exchange, ExchangeAnswer, NodeIdentity } from './store.ts'

const RETRY_MS = 100
const RETRY_MS_MAX = 2000

interface ExchangesParts {
  store: PostgresStore
  identity: NodeIdentity
  clock: Clock
  /** Header of the live state: server threads read there whether the database is away, and until when they may charge. */
  header: Int32Array
  /** Called when the database does not answer, and when it answers again. */
  onAway(isAway: boolean): void
}

export class Exchanges {
  readonly #parts: ExchangesParts
  #number = 0
  /** When the last call was sent that the database has answered, by the monotonic clock. */
  #answeredMs: number
  #stoppedMs = Number.POSITIVE_INFINITY

  constructor(parts: ExchangesParts) {
    this.#parts = parts
    this.#answeredMs = parts.clock.monotonicMs()
  }

  get isAway(): boolean {
    return this.#parts.header[DATABASE_AWAY] > 0
  }

  get state(): { isAway: boolean; exchanges: number; silentMs: number } {
    const silentMs = this.#parts.clock.monotonicMs() - this.#answeredMs
    return { isAway: this.isAway, exchanges: this.#number, silentMs }
  }

  /** Ends the repetitions in a moment: what has not been answered by then is reported by the next start. */
  stop(): void {
    this.#stoppedMs = Math.min(this.#stoppedMs, this.#parts.clock.monotonicMs())
  }

  /** @throws FencedError; UnavailableError once stopped; Error when the database refuses the exchange as faulty */
  readonly send = async (exchange: Omit<Exchange, 'number'>): Promise<ExchangeAnswer> => {
    const { store, identity, clock, header } = this.#parts
    const numbered = { number: ++this.#number, ...exchange }
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
      const [sentMs, wallMs] = [clock.monotonicMs(), clock.wallMs()]
      try {
        const answer = await store.exchange(identity, numbered)
        this.#answeredMs = sentMs
        confirm(header, wallMs)
        this.#show(0)
        return answer
      } catch (error) {
        const isOver = clock.monotonicMs() - this.#stoppedMs > FLEET_LEAVE_MS
        if (!(error instanceof UnavailableError) || isOver) throw error
        this.#unanswered()
      }
      await new Promise(resolve => setTimeout(resolve, waitMs))
    }
  }

  #unanswered(): void {
    const { silentMs } = this.state
    // Each thread compares the wall clock with this by itself, but that one may have been set back.
    if (silentMs > FLEET_SILENT_MS_MAX) this.#parts.header[CHARGE_UNTIL_S] = 0
    this.#show(silentMs > FLEET_AWAY_MS_MAX ? 2 : 1)
  }

  #show(away: 0 | 1 | 2): void {
    const wasAway = this.isAway
    this.#parts.header[DATABASE_AWAY] = away
    if (wasAway !== this.isAway) this.#parts.onAway(away > 0)
  }
}
