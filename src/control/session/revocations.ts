/**
 * Sessions that ended before their time. A session is its browser's sealed cookie, so a sign-out has to be remembered,
 * also after a restart, until the session would have ended by itself. The file has the form of alerts/FORMAT.md:
 *
 *     ["acct_… <session>",{"endMs":…}]           one session
 *     ["acct_…",{"beforeMs":…,"endMs":…}]        all sessions of an account that started by then
 *     ["",{"beforeMs":…,"endMs":…}]              all sessions of everybody that started by then
 */
import { z } from 'zod'
import { SESSION_MS_MAX } from '../../limits.ts'
import { type KeyedParts, KeyedStore } from '../store/keyed-store.ts'

/** `endMs` is when a line may be forgotten. */
const LINE = z.object({ beforeMs: z.int().optional(), endMs: z.int() })

/** Maximum number of sign-outs of one account that are remembered one by one; the next ends all its sessions. */
export const REVOKED_SESSIONS_PER_ACCOUNT_MAX = 1000
const LINES_BEFORE_SWEEP = 1000
const EVERYBODY = ''

export class Revocations {
  readonly #lines: KeyedStore<z.infer<typeof LINE>>
  readonly #nowMs: () => number
  readonly #sessions = new Map<string, Set<string>>()
  #sweepAt = LINES_BEFORE_SWEEP

  private constructor(lines: KeyedStore<z.infer<typeof LINE>>, nowMs: () => number) {
    this.#lines = lines
    this.#nowMs = nowMs
    for (const key of lines.keys()) this.#note(key)
  }

  /**
   * Reads `ended-sessions.jsonl`. What cannot be read might have revoked any session: a missing file and a damaged line end
   * them all. @throws Error when the file is not private
   */
  static async open(
    { dataDir, log }: Pick<KeyedParts, 'dataDir' | 'log'>,
    nowMs: () => number = Date.now,
  ): Promise<Revocations> {
    const lines = await KeyedStore.open({ dataDir, log }, 'ended-sessions', LINE)
    const revocations = new Revocations(lines, nowMs)
    if (!lines.isWhole) await revocations.#endAll(EVERYBODY, nowMs())
    await revocations.#sweep()
    return revocations
  }

  isRevoked(account: string, session: string, startedMs: number): boolean {
    return startedMs <= this.endedBeforeMs(account) || this.#lines.get(`${account} ${session}`) !== undefined
  }

  /** Sessions of the account that started by then are over; 0 when none are. A clock set back makes it a future time. */
  endedBeforeMs(account: string): number {
    return Math.max(this.#lines.get(EVERYBODY)?.beforeMs ?? 0, this.#lines.get(account)?.beforeMs ?? 0)
  }

  async revoke(account: string, session: string, startedMs: number): Promise<void> {
    const isFull = () => (this.#sessions.get(account)?.size ?? 0) >= REVOKED_SESSIONS_PER_ACCOUNT_MAX
    // Whoever signs in and out without end must not make the list endless: all their sessions end instead.
    if (isFull()) await this.#sweep()
    if (isFull()) return this.revokeAllOf(account)
    const key = `${account} ${session}`
    this.#note(key)
    // Longer than any setting lets it live, so that no change of a setting brings it back.
    await this.#lines.set(key, { endMs: startedMs + SESSION_MS_MAX })
    if (this.#lines.size >= this.#sweepAt) await this.#sweep()
  }

  async revokeAllOf(account: string): Promise<void> {
    // The next sign-in after an earlier cut may have started a millisecond after it, whatever the clock says now.
    await this.#endAll(account, Math.max(this.#nowMs(), this.endedBeforeMs(account) + 1))
    await Promise.all([...(this.#sessions.get(account) ?? [])].map(key => this.#forget(key)))
  }

  #endAll(key: string, beforeMs: number): Promise<void> {
    return this.#lines.set(key, { beforeMs, endMs: beforeMs + SESSION_MS_MAX })
  }

  #note(key: string): void {
    const [account = '', session] = key.split(' ')
    if (session === undefined) return
    const keys = this.#sessions.get(account) ?? new Set()
    this.#sessions.set(account, keys.add(key))
  }

  #forget(key: string): Promise<void> {
    const [account = ''] = key.split(' ')
    const keys = this.#sessions.get(account)
    keys?.delete(key)
    if (keys?.size === 0) this.#sessions.delete(account)
    return this.#lines.delete(key)
  }

  async #sweep(): Promise<void> {
    const nowMs = this.#nowMs()
    const ended = [...this.#lines.entries()].filter(([, { endMs }]) => endMs <= nowMs)
    await Promise.all(ended.map(([key]) => this.#forget(key)))
    this.#sweepAt = Math.max(LINES_BEFORE_SWEEP, 2 * this.#lines.size)
  }
}
