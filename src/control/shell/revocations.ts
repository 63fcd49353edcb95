/**
 * Sessions that ended before their time. A session is its browser's sealed cookie, so a sign-out has to be remembered,
 * also after a restart, until the session would have ended by itself.
 *
 * One line of JSON per revocation is appended to a file and synced before the sign-out is answered:
 *
 *     {"account":"acct_…","session":"…","endMs":…}     one session
 *     {"account":"acct_…","beforeMs":…,"endMs":…}      all sessions of an account that started by then
 *     {"beforeMs":…,"endMs":…}                         all sessions of everybody that started by then
 */
import { constants } from 'node:fs'
import { SESSION_MS_MAX } from '../../limits.ts'
import { REVOKED_SESSIONS_PER_ACCOUNT_MAX } from '../limits.ts'
import { openPrivate, readPrivate, replacePrivate } from './private-file.ts'

interface Line {
  account?: string
  session?: string
  beforeMs?: number
  /** When the line may be forgotten. */
  endMs: number
}

interface OfAccount {
  /** Sessions that started by then are over. */
  beforeMs: number
  beforeEndMs: number
  /** `endMs` by session. */
  sessions: Map<string, number>
}

/** A file with so many lines is written again once half of them have ended. */
const LINES_BEFORE_REWRITE = 1000

export class Revocations {
  readonly #path: string
  readonly #nowMs: () => number
  readonly #accounts = new Map<string, OfAccount>()
  #everybody: Line | null = null
  #lines = 0
  #written: Promise<void> = Promise.resolve()

  private constructor(path: string, nowMs: () => number) {
    this.#path = path
    this.#nowMs = nowMs
  }

  /**
   * Reads the file at `path`. What cannot be read might have revoked any session: a missing file and a damaged line end
   * them all. @throws Error when the file is not private
   */
  static async open(path: string, nowMs: () => number = Date.now): Promise<Revocations> {
    const revocations = new Revocations(path, nowMs)
    const text = (await readPrivate(path))?.toString()
    // Every line ends with a line break, so the last piece is empty unless a crash cut a line, which nobody relied on.
    const lines = (text ?? '').split('\n').slice(0, -1).map(parseLine)
    for (const line of lines) if (line !== null) revocations.#remember(line)
    if (text === undefined || lines.includes(null)) {
      const now = nowMs()
      revocations.#remember({ beforeMs: now, endMs: now + SESSION_MS_MAX })
    }
    await revocations.#rewrite()
    return revocations
  }

  isRevoked(account: string, session: string, startedMs: number): boolean {
    return (
      startedMs <= this.endedBeforeMs(account) || this.#accounts.get(account)?.sessions.has(session) === true
    )
  }

  /** Sessions of the account that started by then are over; 0 when none are. A clock set back makes it a future time. */
  endedBeforeMs(account: string): number {
    return Math.max(this.#everybody?.beforeMs ?? 0, this.#accounts.get(account)?.beforeMs ?? 0)
  }

  /** Ends one session. Takes effect at once and resolves when it is durable. */
  revoke(account: string, session: string, startedMs: number): Promise<void> {
    const ended = this.#accounts.get(account)
    // Whoever signs in and out without end must not make the list endless: all their sessions end instead.
    if (ended !== undefined && ended.sessions.size >= REVOKED_SESSIONS_PER_ACCOUNT_MAX) {
      this.#forgetEnded()
      if (ended.sessions.size >= REVOKED_SESSIONS_PER_ACCOUNT_MAX) return this.revokeAllOf(account)
    }
    // Longer than any setting lets it live, so that no change of a setting brings it back.
    return this.#add({ account, session, endMs: startedMs + SESSION_MS_MAX })
  }

  /** Ends every session of the account that has started; as `revoke`. */
  revokeAllOf(account: string): Promise<void> {
    // The next sign-in after an earlier cut may have started a millisecond after it, whatever the clock says now.
    const beforeMs = Math.max(this.#nowMs(), this.endedBeforeMs(account) + 1)
    return this.#add({ account, beforeMs, endMs: beforeMs + SESSION_MS_MAX })
  }

  #add(line: Line): Promise<void> {
    this.#remember(line)
    // One after the other. A failure rejects the call whose line it was and does not stop the next.
    const written = this.#written.then(() => this.#append(line))
    this.#written = written.catch(() => {})
    return written
  }

  #remember(line: Line): void {
    const { account, session, beforeMs, endMs } = line
    if (endMs <= this.#nowMs()) return
    if (account === undefined) {
      if ((beforeMs ?? 0) >= (this.#everybody?.beforeMs ?? 0)) this.#everybody = line
      return
    }
    const ended = this.#accounts.get(account) ?? { beforeMs: 0, beforeEndMs: 0, sessions: new Map() }
    this.#accounts.set(account, ended)
    if (session !== undefined) ended.sessions.set(session, endMs)
    else if (beforeMs !== undefined && beforeMs >= ended.beforeMs) {
      Object.assign(ended, { beforeMs, beforeEndMs: endMs })
      ended.sessions.clear()
    }
  }

  async #append(line: Line): Promise<void> {
    if (this.#lines >= LINES_BEFORE_REWRITE && this.#lines >= 2 * this.#needed().length)
      return this.#rewrite()
    const file = await openPrivate(this.#path, constants.O_WRONLY | constants.O_APPEND)
    try {
      await file.appendFile(`${JSON.stringify(line)}\n`)
      await file.datasync()
    } finally {
      await file.close()
    }
    this.#lines++
  }

  /** Replaces the file by one that holds only what is still needed. */
  async #rewrite(): Promise<void> {
    this.#forgetEnded()
    const lines = this.#needed()
    await replacePrivate(this.#path, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    this.#lines = lines.length
  }

  #needed(): Line[] {
    const ofAccounts = [...this.#accounts].flatMap(([account, { beforeMs, beforeEndMs, sessions }]) => [
      ...(beforeMs > 0 ? [{ account, beforeMs, endMs: beforeEndMs }] : []),
      ...[...sessions].map(([session, endMs]) => ({ account, session, endMs })),
    ])
    return this.#everybody === null ? ofAccounts : [this.#everybody, ...ofAccounts]
  }

  #forgetEnded(): void {
    const now = this.#nowMs()
    if (this.#everybody !== null && this.#everybody.endMs <= now) this.#everybody = null
    for (const [account, ended] of this.#accounts) {
      for (const [session, endMs] of ended.sessions) if (endMs <= now) ended.sessions.delete(session)
      if (ended.beforeEndMs <= now) ended.beforeMs = 0
      if (ended.beforeMs === 0 && ended.sessions.size === 0) this.#accounts.delete(account)
    }
  }
}

/** Null when the line is damaged. */
function parseLine(text: string): Line | null {
  try {
    const { account, session, beforeMs, endMs } = JSON.parse(text) as Record<string, unknown>
    const textOrNone = (value: unknown) => value === undefined || typeof value === 'string'
    const ends = typeof session === 'string' ? beforeMs === undefined : Number.isSafeInteger(beforeMs)
    const belongs = session === undefined || account !== undefined
    if (textOrNone(account) && textOrNone(session) && ends && belongs && Number.isSafeInteger(endMs))
      return { account, session, beforeMs, endMs } as Line
    return null
  } catch {
    return null
  }
}
