/** Charging on a thread other than that of the ledger. */
import type { MessagePort } from 'node:worker_threads'
import { type Clock, systemClock } from '../../ledger/clock.ts'
import { MeterRows } from '../../ledger/meter/meter-rows.ts'
import { Timeline } from '../../ledger/timeline.ts'
import { LiveState } from '../live/live-state.ts'
import { Charging, type ChargingParts } from './charging.ts'
import { LeaseRequests } from './lease-requests.ts'
import { type FromThread, listenToLedger, type ThreadShare } from './thread-share.ts'

export class SharedCharging extends Charging {
  readonly #close: () => void

  private constructor(parts: ChargingParts, close: () => void) {
    super(parts)
    this.#close = close
  }

  /**
   * Begins to charge. `port` is the other end of the one that `Accounts.attach` was given when it returned `share`; it does
   * not keep this thread alive.
   */
  static async open(
    share: ThreadShare,
    port: MessagePort,
    clock: Clock = systemClock,
  ): Promise<SharedCharging> {
    const { thread, freeAnswersMax, offsetMs } = share
    const live = new LiveState(share.live)
    const rows = await MeterRows.at(share.meter)
    const timeline = new Timeline(clock, offsetMs)
    const wake = () => port.postMessage('wake' satisfies FromThread)
    const requests = new LeaseRequests(port)
    const parts = { live, rows, timeline, thread, freeAnswersMax, wake, lease: requests.lease }
    const charging = new SharedCharging(parts, listenToLedger(port, live, rows, requests.settled))
    // An earlier thread of this number may have died while it held charges.
    charging.release()
    return charging
  }

  /** Charges what no ledger knows of. */
  static alone(parts: ChargingParts): SharedCharging {
    return new SharedCharging(parts, () => {})
  }

  /** Detaches this thread. Nothing may be called afterwards. */
  close(): void {
    this.release()
    this.#close()
  }
}
