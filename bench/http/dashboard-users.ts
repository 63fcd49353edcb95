/** People who click through the dashboard, each signed in and with the live figures of an open page. */

const PAGES = [
  '/',
  '/keys',
  '/usage',
  '/balance',
  '/limits',
  '/usage.json?by=hour',
  '/usage.json?by=day',
  '/coverage',
]
const CLICK_MS = 1000
const LIVE_MS = 2000

export interface Users {
  /** Requests that have been answered so far. */
  answered(): number
  stop(): Promise<void>
}

/** Signs `count` people in at the address with the token and lets them click, one page a second each, until stopped. */
export async function startUsers(entrance: string, count: number): Promise<Users> {
  const { origin } = new URL(entrance)
  let running = true
  let answered = 0
  const visit = async (cookie: string, path: string) => {
    const response = await fetch(origin + path, { headers: { Cookie: cookie } })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    answered++
  }
  const every = async (ms: number, work: (round: number) => Promise<void>) => {
    for (let round = 0; running; round++) {
      await work(round)
      await new Promise(resolve => setTimeout(resolve, ms))
    }
  }
  const loops: Promise<void>[] = []
  for (let person = 0; person < count; person++) {
    const cookie = await signIn(entrance, `person${person}@example.org`)
    loops.push(every(CLICK_MS, round => visit(cookie, PAGES[(round + person) % PAGES.length])))
    loops.push(every(LIVE_MS, () => visit(cookie, '/live.json')))
  }
  return {
    answered: () => answered,
    async stop() {
      running = false
      await Promise.all(loops)
    },
  }
}

/** The development sign-in, step by step; returns the cookie of the session. */
export async function signIn(entrance: string, email: string): Promise<string> {
  const { origin } = new URL(entrance)
  const jar = new Map<string, string>()
  const go = async (url: URL, body?: URLSearchParams): Promise<URL> => {
    const headers = { Cookie: [...jar].map(pair => pair.join('=')).join('; '), Origin: origin }
    const response = await fetch(url, { method: body ? 'POST' : 'GET', body, headers, redirect: 'manual' })
    await response.arrayBuffer()
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      jar.set(name, value)
    }
    const next = response.headers.get('Location')
    return next === null ? url : new URL(next, url)
  }
  await go(new URL(entrance))
  let url = await go(new URL('/sign-in/development', origin))
  url = await go(url)
  url = await go(url, new URLSearchParams({ email }))
  while (url.pathname !== '/') url = await go(url)
  return `postrie-session=${jar.get('postrie-session')}`
}
