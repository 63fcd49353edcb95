/** Sends exchanges, each until it is answered, and tells server threads if the database is away. */
import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR_MS } from '../../platform/time.ts'
import { LIVE_HEADER, SOURCE_ANSWERS, SOURCE_LOST, SOURCE_SILENT } from '../accounts/live/live-layout.ts'
import type { LiveState } from '../accounts/live/live-state.ts'
import type { Clock } from '../ledger/timeline.ts'
import { UnavailableError } from './database-errors.ts'
import type { FleetDatabase } from './fleet-database.ts'
import type { Exchange, ExchangeAnswer, NodeIdentity } from './messages.ts'

/** Silence after which the database counts as away. */
const FLEET_AWAY_MS_MAX = 3000
/** Silence of the database after which a node charges nothing, an hour before WRITE_OFF_MS. */
const FLEET_SILENT_MS_MAX = 23 * HOUR_MS
/** Time that a stopping node tries to return its leases while the database is away. */
const FLEET_LEAVE_MS = 5000
/** First wait before an exchange is repeated. Each further wait doubles. */
const RETRY_MS = 100
/** Longest wait before an exchange is repeated. */
const RETRY_MS_MAX = 2000

const AWAY =
  `the database of the fleet does not answer: this node charges what it holds, for ${FLEET_SILENT_MS_MAX / HOUR_MS} hours at most, ` +
  'and answers 503 to all else'

export interface ExchangeParts {
  database: FleetDatabase
  identity: NodeIdentity
  clock: Clock
  /** Its header tells server threads if the database is away, and until when they may charge. */
  live: LiveState
  onNotice(notice: string): void
}

export function exchangesOf(
  { database, identity, clock, live: { words: header }, onNotice }: ExchangeParts,
  onAway: () => void,
) {
  let sent = 0
  /** Time when the last answered exchange was sent, by the monotonic clock. */
  let answeredMs = clock.monotonicMs()
  let leavingMs = Number.POSITIVE_INFINITY

  /** Sends an exchange until answered. @throws FencedError, RejectedError; UnavailableError if leaving */
  async function send(exchange: Omit<Exchange, 'number'>): Promise<ExchangeAnswer> {
    const numbered = { number: ++sent, ...exchange }
    for (let waitMs = RETRY_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MS_MAX)) {
      const [sentMs, wallMs] = [clock.monotonicMs(), clock.wallMs()]
      try {
        const answer = await database.exchange(identity, numbered)
        answeredMs = sentMs
        // The database may write off the leases only later.
        header[LIVE_HEADER.chargeUntilS] = Math.floor((wallMs + FLEET_SILENT_MS_MAX) / 1000)
        show(SOURCE_ANSWERS)
        return answer
      } catch (error) {
        const isOver = clock.monotonicMs() - leavingMs > FLEET_LEAVE_MS
        if (!(error instanceof UnavailableError) || isOver) throw error
        const silentMs = clock.monotonicMs() - answeredMs
        // Each thread also compares the wall clock, but that may have been set back.
        if (silentMs > FLEET_SILENT_MS_MAX) header[LIVE_HEADER.chargeUntilS] = 1
        show(silentMs > FLEET_AWAY_MS_MAX ? SOURCE_LOST : SOURCE_SILENT)
      }
      await sleep(waitMs)
    }
  }

  function show(source: number): void {
    const wasAway = isAway()
    header[LIVE_HEADER.source] = source
    if (wasAway === isAway()) return
    onNotice(isAway() ? AWAY : 'the database of the fleet answers again')
    if (isAway()) onAway()
  }

  function isAway(): boolean {
    return header[LIVE_HEADER.source] !== SOURCE_ANSWERS
  }

  return {
    send,
    isAway,
    /** Ends the repetition of exchanges after FLEET_LEAVE_MS. The next start reports unanswered ones. */
    leave(): void {
      leavingMs = Math.min(leavingMs, clock.monotonicMs())
    },
    state: () => ({ isAway: isAway(), exchanges: sent, silentMs: clock.monotonicMs() - answeredMs }),
  }
}
