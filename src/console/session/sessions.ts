/**
 * Sessions of the dashboard. A session is a sealed cookie, so it survives a restart and needs no memory. The service remembers
 * only sessions that were ended early (`revocations.ts`), and data for the next page of a session.
 */
import { randomBytes } from 'node:crypto'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import type { Revocations } from './revocations.ts'
import type { Seal } from './seal.ts'

/** Maximum number of sessions with data for their next page. */
const FLASHES_MAX = 10_000
/** Maximum number of sessions that are remembered for lists. */
const SEEN_MAX = 10_000
/** Maximum age of the data for a session's next page. */
const FLASH_MS_MAX = 10 * MINUTE_MS

/** Data for the next page of a session. */
export interface Flash {
  notice?: string | undefined
  /** Notice of something done that has a bad consequence. */
  caution?: string
  /** Address that the form led to. Its fragment names the part of the page that shows the notices. */
  at?: string
  /** Fresh keys by the ids of their forms. They exist nowhere else. */
  freshKeys?: Readonly<Record<string, FreshKey>>
  refused?: RefusedForm
  tried?: Tried
}

export interface FreshKey {
  label: string
  key: string
  endpoints: readonly string[] | null
}

export interface Tried {
  endpoint: string
  typed: string
  status: number
  answer: string
}

/** A refused form. Its page shows the typed text, with each problem at its field. */
export interface RefusedForm {
  page: string
  action: string
  /** Sentences by the name of their field; by `''` for the whole form. */
  problems: Readonly<Record<string, string>>
  typed: string
}

/** An open session, as its person sees it. */
export interface SeenSession {
  id: string
  person: string
  startedMs: number
  seenMs: number
  browser: string
  from: string
}

interface Sealed {
  id: string
  account: string
  /** Account that the person chose. Null: their own, or the first that they belong to. */
  chosen: string | null
  /** Address that the provider confirmed at this sign-in; null if it confirmed none. */
  email: string | null
  /** True for a sign-in with a printed token. */
  byToken: boolean
  startedMs: number
  /** Time of the last request, exact to a twentieth of the idle time. */
  seenMs: number
}

export type Session = NonNullable<ReturnType<Sessions['find']>>

export interface SessionTimes {
  readonly idleMs: number
  readonly maxMs: number
}

export type Sessions = ReturnType<typeof sessionsOf>

export function sessionsOf(
  seal: Seal,
  revocations: Revocations,
  times: SessionTimes,
  clockMs: () => number = Date.now,
) {
  const flashes = new ExpiringMap<Flash>(FLASHES_MAX, clockMs)
  const seen = new ExpiringMap<SeenSession>(SEEN_MAX, clockMs)

  const sealCookie = (sealed: Sealed): string => {
    const { startedMs, seenMs } = sealed
    const endMs = Math.min(startedMs + times.maxMs, seenMs + times.idleMs)
    return seal.seal('session', sealed, endMs)
  }

  /** Returns the session of a cookie; undefined if the cookie is invalid, or the session has ended. */
  const find = (cookie: string | undefined) => {
    const sealed = seal.open('session', cookie) as Sealed | undefined
    if (sealed === undefined) return undefined
    const { id, account, chosen, email: provedEmail, byToken, startedMs, seenMs } = sealed
    const nowMs = clockMs()
    // With the present settings, which may differ from those at the time of sealing.
    if (nowMs >= startedMs + times.maxMs || nowMs >= seenMs + times.idleMs) return undefined
    if (revocations.isRevoked(account, id, startedMs)) return undefined
    const isOld = nowMs - seenMs > times.idleMs / 20
    return {
      id,
      person: account,
      chosen,
      /** Address that the provider confirmed at this sign-in; null if it confirmed none. */
      provedEmail,
      byToken,
      startedMs,
      /** A new cookie after a twentieth of the idle time; null before. */
      renewed: isOld ? sealCookie({ ...sealed, seenMs: nowMs }) : null,
      /** Returns the secret of forms for an account. Forms of another account are refused. */
      csrfOf: (of: string) => seal.secretOf(`session ${id} ${of}`),
      cookieFor: (other: string) => sealCookie({ ...sealed, chosen: other, seenMs: nowMs }),
      /** Remembers the session for the list of its person. */
      see: (browser: string, from: string) =>
        seen.set(id, { id, person: account, startedMs, seenMs: nowMs, browser, from }, times.idleMs),
      keep: (flash: Flash) => flashes.set(id, { ...flashes.get(id), ...flash }, FLASH_MS_MAX),
      kept: () => flashes.get(id),
      take: <K extends keyof Flash>(name: K): Flash[K] => {
        const { [name]: taken, ...rest } = flashes.get(id) ?? {}
        if (taken !== undefined) flashes.set(id, rest, FLASH_MS_MAX)
        return taken
      },
    }
  }

  return {
    /** Starts a session and returns its cookie. @param more from the sign-in: confirmed address, account to act for */
    start(
      account: string,
      more: Pick<Sealed, 'email' | 'chosen' | 'byToken'> = { email: null, chosen: null, byToken: false },
    ): string {
      const nowMs = clockMs()
      const startedMs = Math.max(nowMs, revocations.endedBeforeMs(account) + 1)
      const id = randomBytes(16).toString('base64url')
      return sealCookie({ id, account, ...more, startedMs, seenMs: nowMs })
    },
    find,
    async end(cookie: string | undefined): Promise<void> {
      const session = find(cookie)
      if (session === undefined) return
      flashes.delete(session.id)
      await revocations.revoke(session.person, session.id, session.startedMs)
    },
    /** Returns the sessions of a person that were used since the service started, the last used first. */
    openOf: (person: string): SeenSession[] =>
      seen
        .values()
        .filter(each => each.person === person && !revocations.isRevoked(person, each.id, each.startedMs))
        .sort((a, b) => b.seenMs - a.seenMs),
    endOne: ({ person, id, startedMs }: SeenSession) => revocations.revoke(person, id, startedMs),
    endAllOf: revocations.revokeAllOf,
  }
}
