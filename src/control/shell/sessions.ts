/** Who is signed in. Sessions live in memory: a restart asks everybody to sign in again and loses nothing else. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { SESSIONS_MAX } from '../../limits.ts'
import { ExpiringMap } from './expiring-map.ts'

export interface Session {
  readonly account: string
  /** Proves that a form came from a page of this session. */
  readonly csrf: string
  readonly startedMs: number
  /** A sentence for the next page, shown once. */
  notice: string | null
  /** A fresh key for the next page of keys, shown once and then forgotten. */
  freshKey: { label: string; key: string } | null
}

export class Sessions {
  readonly #byHash: ExpiringMap<Session>
  readonly #idleMs: number
  readonly #maxMs: number
  readonly #nowMs: () => number

  /** A session ends `idleMs` after its last request and `maxMs` after its start, whichever comes first. */
  constructor(idleMs: number, maxMs: number, nowMs: () => number = Date.now) {
    this.#byHash = new ExpiringMap(SESSIONS_MAX, nowMs)
    this.#idleMs = idleMs
    this.#maxMs = maxMs
    this.#nowMs = nowMs
  }

  /** The token of a new session, for the cookie. Always a fresh one: a token from before a sign-in is worth nothing. */
  start(account: string): string {
    const token = secret()
    const startedMs = this.#nowMs()
    this.#keep(hash(token), { account, csrf: secret(), startedMs, notice: null, freshKey: null })
    return token
  }

  /** The session of a token, which this call keeps awake. */
  find(token: string | undefined): Session | undefined {
    if (token === undefined) return undefined
    const key = hash(token)
    const session = this.#byHash.get(key)
    if (session !== undefined) this.#keep(key, session)
    return session
  }

  end(token: string | undefined): void {
    if (token !== undefined) this.#byHash.delete(hash(token))
  }

  endAllOf(account: string): void {
    this.#byHash.deleteWhere(session => session.account === account)
  }

  #keep(key: string, session: Session): void {
    const restMs = session.startedMs + this.#maxMs - this.#nowMs()
    this.#byHash.set(key, session, Math.min(this.#idleMs, restMs))
  }
}

/** Only hashes are kept, so that a look into the process's memory yields no session to take over. */
function hash(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

function secret(): string {
  return randomBytes(32).toString('base64url')
}

/** Compares without telling, by its time, how much of a guess was right. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(hash(a)), Buffer.from(hash(b))]
  return timingSafeEqual(left, right)
}
