/** Visitors who click through the dashboard, each signed in and with the live figures of an open page. */
import { setMaxListeners } from 'node:events'
import { randomFrom } from '../random.ts'

const PAGES = [
  '/',
  '/keys',
  '/usage',
  '/balance',
  '/limits',
  '/usage.json?range=48h',
  '/usage.json?range=90d&split=key',
  '/alerts',
  '/coverage',
]
const LIVE_PATH = '/live.json'

interface PaceOf {
  text: string
  /** Between an answer and the next click. */
  pauseMs: readonly [least: number, most: number]
  /** Between two refreshes of the figures of an open page; 0: it has none. */
  liveMs: number
}

/** How fast visitors click. People read what they have opened; `src/control/assets/live.js` refreshes figures meanwhile. */
export const PACES = {
  people: { text: 'people, each with a click every 2 to 5 seconds', pauseMs: [2000, 5000], liveMs: 2000 },
  hasty: { text: 'hasty people, each with a click a second', pauseMs: [1000, 1000], liveMs: 2000 },
  robots: { text: 'robots, each with a pause of 0.1 seconds', pauseMs: [100, 100], liveMs: 0 },
} as const satisfies Record<string, PaceOf>
export type Pace = keyof typeof PACES

export interface Users {
  /** Requests that have been answered so far. */
  answered(): number
  stop(): Promise<void>
}

/**
 * Signs `count` people in at the address with the token and lets them click until stopped.
 * @param note gets each request that was answered, and the milliseconds until its last byte
 */
export async function startUsers(
  entrance: string,
  count: number,
  pace: Pace = 'hasty',
  note: (path: string, ms: number) => void = () => {},
): Promise<Users> {
  const { origin } = new URL(entrance)
  const { pauseMs, liveMs }: PaceOf = PACES[pace]
  const [leastMs, mostMs] = pauseMs
  const stopped = new AbortController()
  setMaxListeners(0, stopped.signal)
  let answered = 0
  const visit = async (cookie: string, path: string) => {
    const startMs = performance.now()
    const response = await fetch(origin + path, { headers: { Cookie: cookie } })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    answered++
    note(path, performance.now() - startMs)
  }
  const loop = async (pause: () => number, work: (round: number) => Promise<void>) => {
    for (let round = 0; !stopped.signal.aborted; round++) {
      await work(round)
      await wait(pause(), stopped.signal)
    }
  }
  const loops: Promise<void>[] = []
  for (let person = 0; person < count; person++) {
    const cookie = await cookieOf(entrance, `${person}@example.org`)
    const random = randomFrom(person)
    loops.push(
      loop(
        () => leastMs + random() * (mostMs - leastMs),
        round => visit(cookie, PAGES[(round + person) % PAGES.length]),
      ),
    )
    if (liveMs > 0)
      loops.push(
        loop(
          () => liveMs,
          () => visit(cookie, LIVE_PATH),
        ),
      )
  }
  return {
    answered: () => answered,
    async stop() {
      stopped.abort()
      await Promise.all(loops)
    },
  }
}

/** Sessions by entrance and address: somebody who comes again is still signed in. */
const cookies = new Map<string, Promise<string>>()

function cookieOf(entrance: string, email: string): Promise<string> {
  const name = `${entrance} ${email}`
  const cookie = cookies.get(name) ?? signIn(entrance, email)
  cookies.set(name, cookie)
  return cookie
}

/** Ends early when `signal` does. */
function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
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
