/** `npm run screenshots` writes the pictures of the dashboard, from a real server with simulated usage. Needs Chromium. */

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import type { SharedKey } from '../../src/billing/accounts/charging/shared-key.ts'
import { DEMO_EMAIL } from '../../src/billing/demo-account.ts'
import { systemClock } from '../../src/billing/ledger/timeline.ts'
import { authenticate, openAccounts } from './accounts.ts'
import { launchBrowser } from './chromium.ts'
import { writeIndex } from './fixture-index.ts'
import { signIn } from './pages.ts'
import { post } from './post.ts'
import { startServer } from './processes.ts'
import { without } from './programs.ts'
import { seededRandom } from './random.ts'

const OUT = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url))
const PAGES = { overview: '/', usage: '/usage?range=30d&compare=before' }
const WIDTH = 1440
const HOUR_MS = 3_600_000
const DAYS = 62
/** Number of requests before the pictures, so that the server has latencies to show. */
const LOOKUPS = 2000

interface Program {
  label: string
  /** Age of the program in days. */
  sinceDays: number
  /** Queries of a busy hour, by usage class. */
  queries: Readonly<Record<number, number>>
  /** Share of the load at an hour of the day (UTC) and a day of the week (0 is Sunday). */
  load(hour: number, weekday: number): number
}

/** 1 in the early afternoon, a tenth at night. */
const daytime = (hour: number) => 0.1 + 0.9 * Math.max(0, Math.sin(((hour - 5) / 18) * Math.PI))

const PROGRAMS: Program[] = [
  {
    label: 'web shop',
    sinceDays: DAYS,
    queries: { 0: 5200, 2: 3100 },
    load: (hour, weekday) => daytime(hour) * (weekday === 0 || weekday === 6 ? 0.7 : 1),
  },
  {
    label: 'mobile app',
    sinceDays: 38,
    queries: { 0: 1800, 1: 900, 3: 1400 },
    load: (hour, weekday) => daytime(hour - 2) * (weekday === 0 || weekday === 6 ? 1.3 : 1),
  },
  {
    label: 'nightly import',
    sinceDays: 50,
    queries: { 4: 9000 },
    load: (hour, weekday) => (hour >= 1 && hour <= 4 && weekday !== 0 ? 1 : 0),
  },
]

/** Simulates the days before now, hour by hour. Returns the latest key. */
async function livePast(dir: string): Promise<string> {
  const endMs = Date.now()
  let nowMs = endMs - DAYS * 24 * HOUR_MS
  const clock = { ...systemClock, wallMs: () => nowMs, monotonicMs: () => nowMs }
  const accounts = await openAccounts({ dir, clock })
  const random = seededRandom(11)
  const { id } = await accounts.createAccount({ email: DEMO_EMAIL })
  await accounts.setLowBalance(id, 20_000_000)
  const keys = new Map<Program, SharedKey>()
  let secret = ''
  let payments = 0
  for (; nowMs < endMs; nowMs = Math.min(endMs, nowMs + HOUR_MS)) {
    const daysAgo = (endMs - nowMs) / 24 / HOUR_MS
    if ((accounts.account(id)?.balanceMicros ?? 0) < 40_000_000) {
      const reference = `stripe:pi_${++payments}`
      await accounts.credit({ account: id, micros: 200_000_000, reference, kind: 'payment' })
    }
    const date = new Date(nowMs)
    for (const program of PROGRAMS) {
      if (daysAgo > program.sinceDays) continue
      let key = keys.get(program)
      if (key === undefined) {
        ;({ secret } = await accounts.createKey(id, { label: program.label }))
        key = authenticate(accounts, secret) as SharedKey
        keys.set(program, key)
      }
      // The load grows by a half in two months, and every hour differs.
      const growth = 1.5 - 0.5 * (daysAgo / DAYS)
      const share = program.load(date.getUTCHours(), date.getUTCDay()) * growth * (0.85 + random(30) / 100)
      for (const [usage, queries] of Object.entries(program.queries))
        accounts.charging.charge(key, Number(usage), Math.round(queries * share))
    }
    // Reading the usage flushes it into this hour.
    accounts.usage(id, { by: 'hour' })
  }
  await accounts.close()
  return secret
}

async function takePicture(page: Page, address: string, file: string): Promise<void> {
  await page.setViewportSize({ width: WIDTH, height: 800 })
  await page.goto(address)
  if ((await page.locator('.chart').count()) > 0) await page.locator('.chart svg').first().waitFor()
  // The window is as high as the page, so that the navigation reaches the end.
  const height = await page.evaluate<number>('document.documentElement.scrollHeight')
  await page.setViewportSize({ width: WIDTH, height })
  await page.screenshot({ path: file })
  console.log(file)
}

const dir = mkdtempSync(join(tmpdir(), 'postrie-'))
try {
  mkdirSync(OUT, { recursive: true })
  writeIndex(dir)
  const apiKey = await livePast(dir)
  const missing = without('chromium-headless-shell')
  if (missing !== false) throw new Error(missing)
  const browser = await launchBrowser()
  const server = await startServer(dir, { PUBLIC_API_URL: 'https://postal.example.com' })
  try {
    for (let n = 0; n < LOOKUPS; n++) await post(server.api, '/api/lookup', { zipcode: '90210', apiKey })
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme })
      await signIn(page, server.dashboard)
      for (const [name, path] of Object.entries(PAGES))
        await takePicture(page, server.dashboard + path, join(OUT, `${name}-${colorScheme}.png`))
    }
  } finally {
    await browser.close()
    await server.stop()
  }
} finally {
  rmSync(dir, { recursive: true })
}
