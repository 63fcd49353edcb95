/** Which browsers an account knows: those that have signed in to it and kept the cookie that says so. */
import { KNOWN_BROWSER_MS_MAX } from '../limits.ts'
import { readCookie, writeLastingCookie } from '../shell/cookies.ts'
import type { Dashboard, PageContext } from '../shell/dashboard.ts'
import { peerOf } from '../shell/peer.ts'
import type { Alerts } from './alerts.ts'

/** Characters of what a browser says of itself. */
const AGENT_LENGTH_MAX = 160

/** Reports a sign-in when the browser is not known to the account, and makes it known. */
export function noteSignIn(
  c: PageContext,
  dashboard: Dashboard,
  alerts: Alerts,
  account: string,
  provider: string,
): void {
  const { origin, seal } = dashboard
  if (seal.open('known browser', readCookie(c, 'known', origin)) !== account) {
    const agent = (c.req.header('User-Agent') ?? 'unknown').replace(/\p{C}/gu, ' ').slice(0, AGENT_LENGTH_MAX)
    const text = `Somebody signed in through ${provider} from ${peerOf(c, dashboard)} with a new browser: ${agent}`
    alerts.note(account, 'sign-in.new', text)
  }
  const sealed = seal.seal('known browser', account, Date.now() + KNOWN_BROWSER_MS_MAX)
  writeLastingCookie(c, 'known', origin, sealed, KNOWN_BROWSER_MS_MAX / 1000)
}
