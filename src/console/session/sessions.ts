/**
 * Sessions. `sessions.jsonl` has a row for each, as in store/FORMAT.md. The key is an HMAC of the cookie,
 * so the file signs nobody in, and a new `dashboard.key` ends all sessions:
 *
 *     ["q9Xz…",{"person":"acct_…","chosen":null,"viewing":null,"provedEmail":"ada@example.com",…}]
 *
 * Memory has data for the next page of a session.
 */
import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { ExpiringMap } from '../../platform/expiring-map.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import { type KeyedParts, openKeyedStore } from '../store/keyed-store.ts'
import type { Signer } from './signer.ts'

/** Maximum number of sessions with data for their next page, and of people with a kept form. */
const FLASHES_MAX = 10_000
/** Maximum age of the data for a session's next page. */
const FLASH_MS_MAX = 10 * MINUTE_MS
/** Maximum number of sessions of a person. The next sign-in ends the one that rested longest. */
export const SESSIONS_PER_PERSON_MAX = 100

const ROW = z.object({
  person: z.string(),
  /** Account that the person chose. Null: their own, or the first that they belong to. */
  chosen: z.string().nullable(),
  /** Account that an operator views as its owner; null for none. */
  viewing: z.string().nullable(),
  /** Address that the provider confirmed at this sign-in; null if it confirmed none. */
  provedEmail: z.string().nullable(),
  /** True for a sign-in with a printed token. */
  byToken: z.boolean(),
  startedMs: z.int(),
  /** Time of the last request. In the file, exact to a twentieth of the idle time. */
  seenMs: z.int(),
  /** End, by the settings of the last request. */
  endMs: z.int(),
  browser: z.string(),
  from: z.string(),
})
type Row = z.infer<typeof ROW>

/** Data for the next page of a session. */
export interface Flash {
  notice?: string | undefined
  /** Notice of something done that has a bad consequence. */
  caution?: string
  copy?: string
  onward?: string
  /** Fresh keys by the ids of their forms. They exist nowhere else. */
  freshKeys?: Readonly<Record<string, FreshKey>>
  refused?: RefusedForm
  tried?: Tried
}

export type FreshKey = { label: string; key: string; endpoints: readonly string[] | null }

export type Tried = { endpoint: string; typed: string; status: number; answer: string }

/** A refused form. Its page shows the typed text, with each problem at its field. */
export interface RefusedForm {
  page: string
  action: string
  /** Sentences by the name of their field; by `''` for the whole form. */
  problems: Readonly<Record<string, string>>
  typed: string
}

export type Session = NonNullable<ReturnType<Sessions['find']>>

export type SessionTimes = { readonly idleMs: number; readonly maxMs: number }

export type Sessions = Awaited<ReturnType<typeof openSessions>>

/** A missing file ends all sessions. @throws Error if the file is not private or damaged */
export async function openSessions(
  { dataDir, log }: Pick<KeyedParts, 'dataDir' | 'log'>,
  signer: Signer,
  times: SessionTimes,
  nowMs: () => number = Date.now,
) {
  const rows = await openKeyedStore({ dataDir, log }, 'sessions', ROW)
  const flashes = new ExpiringMap<Flash>(FLASHES_MAX, nowMs)
  /** The form sent after each person's session, and the cookie `known` of its browser: no other shows it. */
  const keptForms = new ExpiringMap<{ known: string | undefined; form: RefusedForm }>(FLASHES_MAX, nowMs)
  const idOf = (cookie: string) => signer.secretOf(`cookie ${cookie}`)
  const rowsOf = (person: string) =>
    [...rows.entries()].filter(([, row]) => row.person === person).map(([id, row]) => ({ id, ...row }))

  const endOf = ({ startedMs, seenMs }: Pick<Row, 'startedMs' | 'seenMs'>) =>
    Math.min(startedMs + times.maxMs, seenMs + times.idleMs)
  // Other settings may end a session earlier. They bring none back.
  const isOver = (row: Row) => nowMs() >= Math.min(row.endMs, endOf(row))

  /** Returns the sessions of a person, the last used first. */
  const openOf = (person: string) =>
    rowsOf(person)
      .filter(row => !isOver(row))
      .sort((a, b) => b.seenMs - a.seenMs)

  /** Resolves when the row is durable. A full disk keeps nobody from signing in. */
  const write = (id: string, row: Row): Promise<void> =>
    rows
      .set(id, row)
      .catch(err => log.error({ err }, 'a session cannot be written: it ends with this service'))

  /** Changes a session, unless it was ended meanwhile. */
  const change = (id: string, fields: Partial<Row>): void => {
    const row = rows.get(id)
    if (row !== undefined) void write(id, { ...row, ...fields })
  }

  /** Ends a session at once. Resolves when that is durable. @throws the error of the write */
  const end = (id: string): Promise<void> => {
    flashes.delete(id)
    return rows.delete(id)
  }

  return {
    keptForms,
    openOf,
    end,
    endAllOf: (person: string) => Promise.all(rowsOf(person).map(({ id }) => end(id))),
    close: rows.close,
    /** Returns the cookie. @param refused a form that the first page of the session shows again */
    async start(
      person: string,
      signIn: Omit<Row, 'person' | 'viewing' | 'startedMs' | 'seenMs' | 'endMs'>,
      refused?: RefusedForm,
    ): Promise<string> {
      const over = [...rows.entries()].filter(([, row]) => isOver(row)).map(([id]) => id)
      const beyond = openOf(person).slice(SESSIONS_PER_PERSON_MAX - 1)
      const ended = [...over, ...beyond.map(({ id }) => id)]
      // An old row that is still in the file is over there as well, or ends at the next sign-in.
      for (const id of ended) end(id).catch(() => {})
      const cookie = randomBytes(32).toString('base64url')
      const id = idOf(cookie)
      const begun = { startedMs: nowMs(), seenMs: nowMs() }
      await write(id, { person, viewing: null, ...signIn, ...begun, endMs: endOf(begun) })
      if (refused !== undefined) flashes.set(id, { refused }, FLASH_MS_MAX)
      return cookie
    },
    /** Returns the session of a cookie; undefined if there is none, or it has ended. */
    find(cookie: string | undefined) {
      const id = idOf(cookie ?? '')
      const row = rows.get(id)
      if (row === undefined || isOver(row)) return undefined
      return {
        id,
        ...row,
        /** Returns the secret of forms for an account. Forms of another account are refused. */
        csrfOf: (of: string) => signer.secretOf(`session ${id} ${of}`),
        choose: (chosen: string) => change(id, { chosen, viewing: null }),
        view: (viewing: string) => change(id, { viewing }),
        /** Prolongs the session. Writes it once in each twentieth of the idle time. */
        see(browser: string, from: string): void {
          const [seenMs, stepMs] = [nowMs(), times.idleMs / 20]
          const seen = { seenMs, endMs: endOf({ ...row, seenMs }), browser, from }
          if (Math.floor(seenMs / stepMs) === Math.floor(row.seenMs / stepMs)) Object.assign(row, seen)
          else change(id, seen)
        },
        keep: (flash: Flash) => flashes.set(id, { ...flashes.get(id), ...flash }, FLASH_MS_MAX),
        kept: () => flashes.get(id),
        take: <K extends keyof Flash>(name: K): Flash[K] => {
          const { [name]: taken, ...rest } = flashes.get(id) ?? {}
          if (taken !== undefined) flashes.set(id, rest, FLASH_MS_MAX)
          return taken
        },
      }
    },
  }
}
