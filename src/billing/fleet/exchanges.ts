/** Sends the numbered exchanges of a node in order, each repeated until the database answers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR_MS } from '../../platform/time.ts'
import { CHARGE_UNTIL_S, SOURCE_AWAY } from '../accounts/live/live-layout.ts'
import type { Clock } from '../ledger/timeline.ts'
import { UnavailableError } from './database-errors.ts'
import type { Exchange, ExchangeAnswer, NodeIdentity } from './messages.ts'
import type { PostgresStore } from './postgres-store.ts'

/** Silence after which the database counts as away. */
const FLEET_AWAY_MS_MAX = 3000
/** Silence of the database after which a node charges nothing, an hour before WRITE_OFF_MS. */
export const FLEET_SILENT_MS_MAX = 23 * HOUR_MS
/** Time that a stopping node tries to return its leases while the database is away. */
const FLEET_LEAVE_MS = 5000
/** First wait before an exchange is repeated. Each further wait doubles. */
const RETRY_MS = 100
/** Longest wait before an exchange is repeated. */
const RETRY_MS_MAX = 2000

interface ExchangesParts {
  store: PostgresStore
  identity: NodeIdentity
  clock: Clock
  /** Header of the live state. It tells server threads if the database is away, and until when they may charge. */
  header: Int32Array
  onAway(isAway: boolean): void
}

export function exchangesOf({ store, identity, clock, header, onAway }: ExchangesParts) {
  let count = 0
  /** Time when the last answered call was sent, by the monotonic clock. */
  let answeredMs = clock.monotonicMs()
  let stoppedMs = Number.POSITIVE_INFINITY
  const isAway = (): boolean => header[SOURCE_AWAY] > 0
  const state = () => ({ isAway: isAway(), exchanges: count, silentMs: clock.monotonicMs() - answeredMs })

  const show = (away: 0 | 1 | 2): void => {
    const wasAway = isAway()
    header[SOURCE_AWAY] = away
    if (wasAway !== isAway()) onAway(away > 0)
  }

  /** Ends the repetitions after FLEET_LEAVE_MS. The next start reports unanswered exchanges. */
  const stop = (): void => {
    stoppedMs = Math.min(stoppedMs, clock.monotonicMs())
  }

  /** @throws FencedError; UnavailableError once stopped; Error if the database refuses the exchange as faulty */
  const send = async (exchange: Omit<Exchange, 'number'>): Promise<ExchangeAnswer> => {
    const numbered = { number: ++count, ...exchange }
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
      const [sentMs, wallMs] = [clock.monotonicMs(), clock.wallMs()]
      try {
        const answer = await store.exchange(identity, numbered)
        answeredMs = sentMs
        allowCharges(header, wallMs)
        show(0)
        return answer
      } catch (error) {
        const isOver = clock.monotonicMs() - stoppedMs > FLEET_LEAVE_MS
        if (!(error instanceof UnavailableError) || isOver) throw error
        const { silentMs } = state()
        // Each thread also compares the wall clock, but that may have been set back.
        if (silentMs > FLEET_SILENT_MS_MAX) header[CHARGE_UNTIL_S] = 1
        show(silentMs > FLEET_AWAY_MS_MAX ? 2 : 1)
      }
      await sleep(waitMs)
    }
  }
  return { isAway, state, stop, send }
}

/** Allows charges until the database may write off this node's leases. @param askedMs time of the answered call, by the wall clock */
export function allowCharges(liveHeader: Int32Array, askedMs: number): void {
  liveHeader[CHARGE_UNTIL_S] = Math.floor((askedMs + FLEET_SILENT_MS_MAX) / 1000)
}
