/** How the latest deliveries ended, for the page of each account. They are forgotten with the process. */
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { ALERT_OUTCOMES_MAX } from '../limits.ts'
import type { Channel, MessageKind } from './kinds.ts'

const OUTCOMES_SHOWN = 6
const OUTCOMES_MS = 30 * 86_400_000

/** How an attempt to deliver ended. */
export interface Outcome {
  timeMs: number
  kind: MessageKind
  channel: Channel
  /** Null: it was taken. */
  problem: string | null
}

export class Outcomes {
  readonly #byAccount = new ExpiringMap<Outcome[]>(ALERT_OUTCOMES_MAX)

  /** Newest first. */
  of(account: string): readonly Outcome[] {
    return this.#byAccount.get(account) ?? []
  }

  add(account: string, outcome: Outcome): void {
    this.#byAccount.set(account, [outcome, ...this.of(account)].slice(0, OUTCOMES_SHOWN), OUTCOMES_MS)
  }
}
