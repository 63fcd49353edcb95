/**
 * Who is signed in. A session is a sealed cookie, so it survives a restart and needs no memory. The service keeps only
 * the sessions that ended before their time (`revocations.ts`) and what the next page of a session shows once.
 */
import { randomBytes } from 'node:crypto'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { FLASH_MS_MAX, FLASHES_MAX } from '../limits.ts'
import type { Revocations } from './revocations.ts'
import type { Seal } from './seal.ts'

/** What a session's next page shows once. */
export interface Flash {
  notice?: string
  /** A fresh key. It exists nowhere else. */
  freshKey?: { label: string; key: string }
}

/** What the cookie holds. */
interface Sealed {
  id: string
  /** Of whoever is signed in: the account that their sign-ins lead to. */
  account: string
  /** The account that they have chosen to act for; missing: their own, or the first that they are a member of. */
  chosen?: string
  /** The address for which the provider has vouched at this sign-in; missing: none. */
  email?: string
  startedMs: number
  /** Time of the last request, exact to a twentieth of the idle time. */
  seenMs: number
}

export interface Session {
  readonly id: string
  /** Id of the account that the sign-in leads to. */
  readonly person: string
  /** Id of the account that was chosen; whether it may be is for the caller to check. Null: none was. */
  readonly chosen: string | null
  /** The address for which the provider has vouched at this sign-in; null: none. */
  readonly provedEmail: string | null
  readonly startedMs: number
  /** A cookie to replace the one that came, once a twentieth of the idle time has passed; else null. */
  readonly renewed: string | null
  /** Proves that a form came from a page of this session on that account. A form of another account is not accepted. */
  csrfOf(account: string): string
  /** The cookie of the same session on another account. */
  choosing(account: string): string
  /** Keeps something for the session's next page. */
  keep(flash: Flash): void
  /** What waits for the next page; it goes on waiting. */
  kept(): Flash | undefined
  /** Returns what was kept under a name and forgets it. */
  take<K extends keyof Flash>(name: K): Flash[K]
}

export interface SessionTimes {
  /** From the last request of a session to its end. */
  readonly idleMs: number
  /** From its start to its end, whatever it is used for. */
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

  /**
   * The cookie of a new session. Always a fresh one: a cookie from before a sign-in is worth nothing.
   * @param email for which the provider vouches
   */
  start(account: string, email: string | null = null): string {
    const nowMs = this.#nowMs()
    const startedMs = Math.max(nowMs, this.#revocations.endedBeforeMs(account) + 1)
    const id = randomBytes(16).toString('base64url')
    return this.#sealed({ id, account, ...(email !== null && { email }), startedMs, seenMs: nowMs })
  }

  /** The session of a cookie, or undefined when it is made up, has ended or was ended. */
  find(cookie: string | undefined): Session | undefined {
    const sealed = this.#seal.open('session', cookie) as Sealed | undefined
    if (sealed === undefined) return undefined
    const { id, account, chosen = null, email: provedEmail = null, startedMs, seenMs } = sealed
    const nowMs = this.#nowMs()
    // Both bounds as the settings have them now, not as they were when the cookie was sealed.
    if (nowMs >= startedMs + this.#times.maxMs || nowMs >= seenMs + this.#times.idleMs) return undefined
    if (this.#revocations.isRevoked(account, id, startedMs)) return undefined
    const renewed =
      nowMs - seenMs > this.#times.idleMs / 20 ? this.#sealed({ ...sealed, seenMs: nowMs }) : null
    return {
      id,
      person: account,
      chosen,
      provedEmail,
      startedMs,
      renewed,
      csrfOf: of => this.#seal.secretOf(`session ${id} ${of}`),
      choosing: other => this.#sealed({ ...sealed, chosen: other, seenMs: nowMs }),
      keep: flash => this.#flashes.set(id, { ...this.#flashes.get(id), ...flash }, FLASH_MS_MAX),
      kept: () => this.#flashes.get(id),
      take: name => this.#take(id, name),
    }
  }

  /** Ends the session of a cookie, if it has one; resolves when that would survive losing power. */
  async end(cookie: string | undefined): Promise<void> {
    const session = this.find(cookie)
    if (session === undefined) return
    this.#flashes.delete(session.id)
    await this.#revocations.revoke(session.person, session.id, session.startedMs)
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
