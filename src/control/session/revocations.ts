/**
 * Sessions that ended before their time. A session is its browser's sealed cookie, so a sign-out has to be remembered,
 * also after a restart, until the session would have ended by itself. The file has the form of alerts/FORMAT.md, with one
 * row for each account, and one for everybody under `""`:
 *
 *     ["acct_…",{"beforeMs":…,"sessions":{"<session>":…},"endMs":…}]
 *
 * Sessions that started by `beforeMs` are over, and so are those that are named. After `endMs` the row may be forgotten.
 */
import { z } from 'zod'
import { SESSION_MS_MAX } from '../../limits.ts'
import { type KeyedParts, KeyedStore } from '../store/keyed-store.ts'

const ENDED = z.object({ beforeMs: z.int(), sessions: z.record(z.string(), z.int()), endMs: z.int() })
type Ended = z.infer<typeof ENDED>

/** Maximum number of sign-outs of one account that are remembered one by one; the next ends all its sessions. */
export const REVOKED_SESSIONS_PER_ACCOUNT_MAX = 1000
const EVERYBODY = ''
const NONE: Ended = { beforeMs: 0, sessions: {}, endMs: 0 }

export class Revocations {
  readonly #rows: KeyedStore<Ended>
  readonly #nowMs: () => number

  private constructor(rows: KeyedStore<Ended>, nowMs: () => number) {
    this.#rows = rows
    this.#nowMs = nowMs
  }

  /**
   * Reads `ended-sessions.jsonl`. What cannot be read might have revoked any session: a missing file and a damaged line end
   * them all. @throws Error when the file is not private
   */
  static async open(
    { dataDir, log }: Pick<KeyedParts, 'dataDir' | 'log'>,
    nowMs: () => number = Date.now,
  ): Promise<Revocations> {
    const rows = await KeyedStore.open({ dataDir, log }, 'ended-sessions', ENDED)
    const over = [...rows.entries()].filter(([, { endMs }]) => endMs <= nowMs())
    await Promise.all(over.map(([account]) => rows.delete(account)))
    const revocations = new Revocations(rows, nowMs)
    if (!rows.isWhole) await revocations.#endAll(EVERYBODY, nowMs())
    return revocations
  }

  isRevoked(account: string, session: string, startedMs: number): boolean {
    const { sessions } = this.#rows.get(account) ?? NONE
    return startedMs <= this.endedBeforeMs(account) || sessions[session] !== undefined
  }

  /** Sessions of the account that started by then are over; 0 when none are. A clock set back makes it a future time. */
  endedBeforeMs(account: string): number {
    const [own = NONE, everybody = NONE] = [this.#rows.get(account), this.#rows.get(EVERYBODY)]
    return Math.max(own.beforeMs, everybody.beforeMs)
  }

  revoke(account: string, session: string, startedMs: number): Promise<void> {
    const { beforeMs, sessions, endMs } = this.#rows.get(account) ?? NONE
    const present = Object.entries(sessions).filter(([, endMs]) => endMs > this.#nowMs())
    // Whoever signs in and out without end must not make the row endless: all their sessions end instead.
    if (present.length >= REVOKED_SESSIONS_PER_ACCOUNT_MAX) return this.revokeAllOf(account)
    // Longer than any setting lets it live, so that no change of a setting brings it back.
    const lastMs = startedMs + SESSION_MS_MAX
    const ended = { ...Object.fromEntries(present), [session]: lastMs }
    return this.#rows.set(account, { beforeMs, sessions: ended, endMs: Math.max(endMs, lastMs) })
  }

  revokeAllOf(account: string): Promise<void> {
    // The next sign-in after an earlier cut may have started a millisecond after it, whatever the clock says now.
    return this.#endAll(account, Math.max(this.#nowMs(), this.endedBeforeMs(account) + 1))
  }

  #endAll(account: string, beforeMs: number): Promise<void> {
    return this.#rows.set(account, { beforeMs, sessions: {}, endMs: beforeMs + SESSION_MS_MAX })
  }
}
