/** Which roles may open which pages and send which forms: the one place that decides it. */
import type { MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Role } from '../../accounts/views.ts'
import type { PageContext, PageEnv } from './dashboard.ts'

const EVERY_ROLE: readonly Role[] = ['owner', 'developer', 'billing']
const BUILDERS: readonly Role[] = ['owner', 'developer']
const PAYERS: readonly Role[] = ['owner', 'billing']
const OWNERS: readonly Role[] = ['owner']

/** `person`: whoever is signed in, member of an account or not. `operator`: what `/operator` checks by itself. */
type Access = readonly Role[] | 'person' | 'operator'

/**
 * By the address of a page. A row holds for everything below its address as well, unless a longer one does. A page without
 * a row keeps the service from starting, so nobody can forget it.
 */
export const ACCESS: Readonly<Record<string, Access>> = {
  '/': EVERY_ROLE,
  '/live.json': EVERY_ROLE,
  '/keys': BUILDERS,
  '/try': BUILDERS,
  '/usage': BUILDERS,
  '/usage.json': BUILDERS,
  '/usage.csv': BUILDERS,
  '/requests': BUILDERS,
  '/requests.csv': BUILDERS,
  '/limits': BUILDERS,
  '/alerts': PAYERS,
  '/alerts/secret': OWNERS,
  '/balance': PAYERS,
  '/statement.csv': PAYERS,
  '/receipts': PAYERS,
  '/account': EVERY_ROLE,
  '/account/members': OWNERS,
  '/account/log': OWNERS,
  '/account/log.csv': OWNERS,
  '/account/switch': 'person',
  '/invitation': 'person',
  '/sign-out': 'person',
  '/sign-out-everywhere': 'person',
  '/operator': 'operator',
}

/** The row of an address or of the pattern of a route; undefined: there is none. */
export function accessOf(path: string): Access | undefined {
  for (let at = path; at !== ''; at = at.slice(0, at.lastIndexOf('/')))
    if (Object.hasOwn(ACCESS, at)) return ACCESS[at]
  return undefined
}

/** Whether a role opens the page at `path`. Without a role, nothing of an account opens. */
export function isAllowed(path: string, role: Role | null): boolean {
  const access = accessOf(path)
  if (access === undefined) return false
  return typeof access === 'string' || (role !== null && access.includes(role))
}

/** Whether whoever reads this page may open another one of the same account. */
export function mayOpen(c: PageContext, path: string): boolean {
  return isAllowed(path, c.get('role'))
}

/**
 * Turns away whose role does not open a page. The route that answers decides, not the address as it was written.
 * @param refuse what they see
 */
export function rolesOnly(
  refuse: (c: PageContext) => Response | Promise<Response>,
): MiddlewareHandler<PageEnv> {
  return async (c, next) => {
    const pages = matchedRoutes(c).filter(({ method }) => method !== 'ALL')
    if (pages.every(({ path }) => isAllowed(path, c.get('role')))) return next()
    return c.req.path.endsWith('.json') ? c.json({ error: 'Your role does not open this.' }, 403) : refuse(c)
  }
}

/**
 * @param routes those that come after `rolesOnly`
 * @throws Error that names a page without a row
 */
export function expectAccess(routes: readonly { method: string; path: string }[]): void {
  for (const { method, path } of routes) {
    if (method === 'ALL' || accessOf(path) !== undefined) continue
    throw new Error(
      `${method} ${path} has no row in ACCESS (src/control/shell/access.ts): say who may open it`,
    )
  }
}
