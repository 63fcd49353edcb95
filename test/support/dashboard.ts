/** Runs the dashboard in this process with its own ledger, and a client that keeps cookies. */

import type { Test } from 'tap'
import { startControlPlane } from '../../src/console/control-plane.ts'
import { createLog } from '../../src/platform/log.ts'
import { readConfig } from '../../src/platform/settings/config.ts'
import { CHARGED } from '../../src/service/endpoints/table.ts'
import { entranceOf, entrances } from './entrances.ts'
import { idleDataPlane } from './idle-data-plane.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { openTestAccounts } from './test-fleet.ts'

export { charge } from './accounts.ts'

export type TestDashboard = Awaited<ReturnType<typeof startDashboard>>

/** Starts a dashboard on a free port until the test ends. `env` overrides settings. */
export async function startDashboard(t: Test, env: NodeJS.ProcessEnv = {}) {
  const dir = temporaryFolder(t)
  const dataPlane = idleDataPlane(dir)
  const start = async (env: NodeJS.ProcessEnv) => {
    const config = readConfig({ DATA_DIR: dir, PORT: '0', CONTROL_PORT: '0', LOG_LEVEL: 'silent', ...env })
    const accounts = await openTestAccounts({ dir, usageClasses: CHARGED })
    const plane = await startControlPlane({ config, accounts, dataPlane, log: createLog(config.logLevel) })
    const origin = `http://127.0.0.1:${plane.port}`
    entrances.set(origin, async email => plane.service.createToken(email).address)
    return { accounts, plane, origin, entrance: plane.entrance, routes: plane.routes }
  }
  let running = await start(env)
  const stop = async () => {
    await running.plane.close()
    await running.accounts.close()
  }
  t.teardown(stop)
  const dashboard = {
    ...running,
    dataPlane,
    dir,
    /** Stops as at a signal and starts again on the same folder. Changes `origin` and `accounts`. */
    async restart(changed: NodeJS.ProcessEnv = {}): Promise<void> {
      await stop()
      running = await start({ ...env, ...changed })
      Object.assign(dashboard, running)
    },
  }
  return dashboard
}

export class Browser {
  readonly cookies: Map<string, string>
  readonly origin: string

  /** @param cookies of another browser, which this one copies */
  constructor(origin: string, cookies: ReadonlyMap<string, string> = new Map()) {
    this.origin = origin
    this.cookies = new Map(cookies)
  }

  /** Sends one request. Follows no redirect. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    // Packing and unpacking pages takes a tenth of the time of a test.
    headers.set('Accept-Encoding', 'identity')
    headers.set('Cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await fetch(new URL(path, this.origin), { ...init, headers, redirect: 'manual' })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    // An unread response keeps its connection open, and the server would wait for it at its end.
    const { status } = response
    return new Response(await response.text(), { status, headers: response.headers })
  }

  /** Follows redirects from `path` to the first page. Returns its address and text. */
  async visit(path: string): Promise<{ url: string; status: number; text: string }> {
    let url = new URL(path, this.origin)
    for (;;) {
      const response = await this.fetch(url.href)
      const next = response.headers.get('Location')
      if (next === null) {
        const text = (await response.text()).replaceAll('<wbr/>', '')
        return { url: url.href, status: response.status, text }
      }
      url = new URL(next, url)
    }
  }

  /** Returns the text of a page. */
  async read(path: string): Promise<string> {
    return (await this.visit(path)).text
  }

  /** Sends a form as the page at `page` does, with the token and the origin. */
  async submit(page: string, action: string, fields: Record<string, string> = {}): Promise<Response> {
    return this.post(action, { csrf: await this.token(page), ...fields })
  }

  async token(page: string): Promise<string> {
    return /name="csrf" value="([^"]+)"/.exec(await this.read(page))?.[1] ?? ''
  }

  /** Sends a form that must be refused. Returns the page with the reason. */
  async expectRefused(page: string, action: string, fields: Record<string, string> = {}): Promise<string> {
    const answer = await this.submit(page, action, fields)
    const { text } = await this.visit(answer.headers.get('Location') ?? '/')
    if (answer.status !== 303 || !text.includes('role="alert"'))
      throw new Error(`${action} was not refused: ${answer.status}`)
    return text
  }

  post(
    action: string,
    fields: Record<string, string>,
    origin: string | null = this.origin,
  ): Promise<Response> {
    const headers: Record<string, string> = origin === null ? {} : { Origin: origin }
    return this.fetch(action, { method: 'POST', body: new URLSearchParams(fields), headers })
  }

  /** Signs in with a new token. */
  async signIn(email: string, next = '/'): Promise<{ url: string; status: number; text: string }> {
    const token = new URL(await entranceOf(this.origin, email)).searchParams.get('token') ?? ''
    const answer = await this.post('/sign-in', { token, next })
    return this.visit(answer.headers.get('Location') ?? '/')
  }
}

export async function signInAs({ origin }: TestDashboard, email: string): Promise<Browser> {
  const browser = new Browser(origin)
  // The first page of operators counts accounts, and a slow count is kept.
  await browser.signIn(email, '/account')
  return browser
}

/** Starts a dashboard with one signed-in customer, `ada@example.com`. `id` is the customer's account. */
export async function startWithCustomer(t: Test, env?: NodeJS.ProcessEnv) {
  const dashboard = await startDashboard(t, env)
  const email = 'ada@example.com'
  const ada = await signInAs(dashboard, email)
  const { origin, accounts } = dashboard
  return { dashboard, origin, accounts, ada, id: accounts.account(email)?.id ?? '' }
}

/** Moves the clock of this process, and so of the dashboard, until the test ends. */
export function movableClock(t: Test): (ms: number) => void {
  const realNow = Date.now
  let aheadMs = 0
  Date.now = () => realNow() + aheadMs
  t.teardown(() => {
    Date.now = realNow
  })
  return ms => {
    aheadMs += ms
  }
}
