/** Keeps for the next sign-in the chosen account, in a cookie, and a form sent too late, in memory. */
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts'
import { readCookie, writeCookie } from './cookies.ts'
import { readForm } from './forms.ts'
import { ownPath } from './origin.ts'
import type { Dashboard, PageContext } from './page-context.ts'
import type { RefusedForm } from './sessions.ts'

const KNOWN_MS_MAX = 90 * DAY_MS
const FORM_MS_MAX = 30 * MINUTE_MS
/** Maximum characters of a kept form: memory has one for each of 10,000 people. */
const FORM_LENGTH_MAX = 4000

const ENDED =
  'Nothing was changed: your session had ended when you sent this form. Check the form, then send it again.'

/** Ids of the last person's own account and of the chosen account. */
type Known = { person: string; chosen: string | null }

export function readKnownBrowser(c: PageContext, { origin, signer }: Dashboard): Known | undefined {
  return signer.verify('known', readCookie(c, 'known', origin)) as Known | undefined
}

export function rememberBrowser(c: PageContext, { origin, signer }: Dashboard, known: Known): void {
  const signed = signer.sign('known', known, Date.now() + KNOWN_MS_MAX)
  writeCookie(c, 'known', origin, signed, KNOWN_MS_MAX / 1000)
}

export function chooseAccount(c: PageContext, dashboard: Dashboard, chosen: string): void {
  const { session, person } = c.var
  session.choose(chosen)
  rememberBrowser(c, dashboard, { person: person.id, chosen })
}

/** Keeps the typed form of the request. Returns the path of its page. */
export async function keepForm(c: PageContext, dashboard: Dashboard): Promise<string> {
  const { origin, sessions } = dashboard
  const referrer = c.req.header('Referer') ?? ''
  const path = ownPath(origin, referrer.startsWith(origin) ? referrer.slice(origin.length) : undefined)
  const person = readKnownBrowser(c, dashboard)?.person
  const typed = await readForm(c)
  typed.delete('csrf')
  // API keys must not be kept.
  if (person === undefined || typed.has('apiKey') || typed.has('q')) return path
  if (typed.toString().length > FORM_LENGTH_MAX) return path
  const page = path.split('?', 1)[0] ?? path
  const form = { page, action: c.req.path, problems: { '': ENDED }, typed: typed.toString() }
  sessions.keptForms.set(person, { known: readCookie(c, 'known', origin), form }, FORM_MS_MAX)
  return path
}

/** Returns the form that this browser of the person sent too late, if any. */
export function keptForm(c: PageContext, dashboard: Dashboard, person: string): RefusedForm | undefined {
  const kept = dashboard.sessions.keptForms.get(person)
  return kept?.known === readCookie(c, 'known', dashboard.origin) ? kept?.form : undefined
}
