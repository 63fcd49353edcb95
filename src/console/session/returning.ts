/**
 * Keeps data for a browser's next sign-in: the chosen account, and a form that was sent after the end of the session. Both are in
 * sealed cookies of the last person.
 */
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts'
import { eraseCookie, readCookie, writeCookie } from './cookies.ts'
import type { Dashboard, PageContext } from './dashboard.ts'
import { readForm } from './forms.ts'
import { ownPath } from './origin.ts'
import type { RefusedForm, Session } from './sessions.ts'

const KNOWN_MS_MAX = 90 * DAY_MS
const FORM_MS_MAX = 30 * MINUTE_MS
/** Maximum characters of a kept form as JSON. Sealed, a longer one would not fit into a cookie. */
const FORM_LENGTH_MAX = 2700

const ENDED =
  'Nothing was changed: your session had ended when you sent this form. Check the form, then send it again.'

/** Ids of the last person's own account and of the chosen account. */
interface Known {
  person: string
  chosen: string | null
}

type Place = Pick<Dashboard, 'origin' | 'seal'>

export function readKnownBrowser(c: PageContext, { origin, seal }: Place): Known | undefined {
  return seal.open('known', readCookie(c, 'known', origin)) as Known | undefined
}

export function rememberBrowser(c: PageContext, { origin, seal }: Place, known: Known): void {
  const sealed = seal.seal('known', known, Date.now() + KNOWN_MS_MAX)
  writeCookie(c, 'known', origin, sealed, KNOWN_MS_MAX / 1000)
}

export function chooseAccount(c: PageContext, place: Place, chosen: string): void {
  const { session, person } = c.var
  session.choose(chosen)
  rememberBrowser(c, place, { person: person.id, chosen })
}

/** Keeps the typed form of the request. Returns the path of its page. */
export async function keepForm(c: PageContext, place: Place): Promise<string> {
  const { origin, seal } = place
  const referrer = c.req.header('Referer') ?? ''
  const path = ownPath(origin, referrer.startsWith(origin) ? referrer.slice(origin.length) : undefined)
  const person = readKnownBrowser(c, place)?.person
  const typed = await readForm(c)
  typed.delete('csrf')
  const page = path.split('?', 1)[0] ?? path
  const form = { page, action: c.req.path, problems: { '': ENDED }, typed: typed.toString() }
  const isLong = JSON.stringify(form).length > FORM_LENGTH_MAX
  // API keys must not be kept.
  if (person === undefined || typed.has('apiKey') || typed.has('q') || isLong) return path
  const sealed = seal.seal('form', { person, form }, Date.now() + FORM_MS_MAX)
  writeCookie(c, 'form', origin, sealed, FORM_MS_MAX / 1000)
  return path
}

export function restoreForm(c: PageContext, { origin, seal }: Place, session: Session, person: string): void {
  const kept = seal.open('form', readCookie(c, 'form', origin)) as
    | { person: string; form: RefusedForm }
    | undefined
  eraseCookie(c, 'form', origin)
  if (kept?.person === person) session.keep({ refused: kept.form })
}
