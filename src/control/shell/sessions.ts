/**
 * Who is signed in. A session is a sealed cookie, so it survives a restart and costs no memory; only what has ended
 * before its time is kept here (`revocations.ts`), and what the next page of a session is to show once.
 */
import { randomBytes } from 'node:crypto'
import { FLASH_MS_MAX, FLASHES_MAX } from '../../limits.ts'
import { ExpiringMap } from './expiring-map.ts'
import type { Revocations } from './revocations.ts'
import type { Seal } from './seal.ts'

/** What a session's next page shows once. */
export interface Flash {
  notice?: string
  /** A fresh key, which is nowhere else. */
  freshKey?: { label: string; key: string }
}

/** What the cookie holds. */
interface Sealed {
  id: string
  account: string
  startedMs: number
  /** Of the last request, within a twentieth of the idle time. */
  seenMs: number
}

export interface Session {
  readonly id: string
  readonly account: string
  /** Proves that a form came from a page of this session. */
  readonly csrf: string
  readonly startedMs: number
  /** The cookie to send in place of the one that came, which grows old; null while it is young. */
  readonly renewed: string | null
  /** Keeps something for the session's next page. */
  keep(flash: Flash): void
  /** Takes what was kept under a name: it is gone afterwards. */
  take<K extends keyof Flash>(name: K): Flash[K]
}

export interface SessionTimes {
  /** A session ends so long after its last request, */
  readonly idleMs: number
  /** and so long after its start, whichever comes first. */
  readonly maxMs: number
}

export class Sessions {
  readonly #seal: Seal
  readonly #revocations: Revocations
  readonly #times: SessionTimes
  readonly #flashes: ExpiringMap<Flash>
  readonly #nowMs: () => number

  constructor(seal: Seal, revocations: Revocations, times: SessionTimes, nowMs: () => number = Date.now) {
    this.#seal = seal
    this.#revocations = revocations
    this.#times = times
    this.#flashes = new ExpiringMap(FLASHES_MAX, nowMs)
    this.#nowMs = nowMs
  }

  /** The cookie of a new session. Always a fresh one: a cookie from before a sign-in is worth nothing. */
  start(account: string): string {
    const nowMs = this.#nowMs()
    const startedMs = Math.max(nowMs, this.#revocations.endedBeforeMs(account) + 1)
    return this.#sealed({ id: randomBytes(16).toString('base64url'), account, startedMs, seenMs: nowMs })
  }

  /** The session of a cookie, or undefined when it is made up, has ended or was ended. */
  find(cookie: string | undefined): Session | undefined {
    const sealed = this.#seal.open('session', cookie) as Sealed | undefined
    if (sealed === undefined) return undefined
    const { id, account, startedMs, seenMs } = sealed
    const nowMs = this.#nowMs()
    // Both bounds as the settings have them now, not as they were when the cookie was sealed.
    if (nowMs >= startedMs + this.#times.maxMs || nowMs >= seenMs + this.#times.idleMs) return undefined
    if (this.#revocations.isRevoked(account, id, startedMs)) return undefined
    const renewed =
      nowMs - seenMs > this.#times.idleMs / 20 ? this.#sealed({ ...sealed, seenMs: nowMs }) : null
    return {
      id,
      account,
      csrf: this.#seal.secretOf(`session ${id}`),
      startedMs,
      renewed,
      keep: flash => this.#flashes.set(id, { ...this.#flashes.get(id), ...flash }, FLASH_MS_MAX),
      take: name => this.#take(id, name),
    }
  }

  /** Ends the session of a cookie, if it has one; resolves when that would survive losing power. */
  async end(cookie: string | undefined): Promise<void> {
    const session = this.find(cookie)
    if (session === undefined) return
    this.#flashes.delete(session.id)
    await this.#revocations.revoke(session.account, session.id, session.startedMs)
  }

  /** Ends all sessions of an account; resolves when that would survive losing power. */
  endAllOf(account: string): Promise<void> {
    return this.#revocations.revokeAllOf(account)
  }

  #take<K extends keyof Flash>(id: string, name: K): Flash[K] {
    const flash = this.#flashes.get(id)
    if (flash?.[name] === undefined) return undefined
    const { [name]: taken, ...rest } = flash
    this.#flashes.set(id, rest, FLASH_MS_MAX)
    return taken
  }

  #sealed(sealed: Sealed): string {
    const { startedMs, seenMs } = sealed
    const endMs = Math.min(startedMs + this.#times.maxMs, seenMs + this.#times.idleMs)
    return this.#seal.seal('session', sealed, endMs)
  }
}
