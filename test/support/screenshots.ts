/**
 * Writes the pictures of the dashboard that the documents show: `npm run screenshots`. With a folder, as in
 * `npm run screenshots -- /tmp/pages`, it writes every page there instead, light and dark, at three widths, for people to
 * look at; with a pattern after it, such as `'keys-390|-dark'`, those whose names match.
 *
 * They come from a real server in a temporary folder, whose ledger has two months of usage: three programs with the
 * rhythm of days and weeks, the same on every run. Needs Chromium; takes about ten seconds, with a folder a minute.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { ApiKey } from '../../src/accounts/types.ts'
import { DEMO_EMAIL } from '../../src/first-start.ts'
import { systemClock } from '../../src/ledger/clock.ts'
import { launchBrowser } from './chromium.ts'
import { writeIndex } from './fixture-index.ts'
import { post } from './post.ts'
import { startServer, type TestServer } from './processes.ts'
import { seededRandom } from './random.ts'

const OUT = fileURLToPath(new URL('../../../docs/screenshots/', import.meta.url))
const [, , FOLDER, PATTERN = ''] = process.argv
const PAGES = { overview: '/', usage: '/usage?range=90d' }
const WIDTH = 1440
/** What a folder gets: pages of the account with a past, then of one that has just been opened. */
const OLD_PAGES = {
  ...PAGES,
  'usage-dollars-by-key': '/usage?range=24h&unit=dollars&split=key',
  requests: '/requests',
  keys: '/keys',
  balance: '/balance',
  limits: '/limits',
  alerts: '/alerts',
  coverage: '/coverage',
  country: '/coverage/US',
  account: '/account',
  members: '/account/members',
  log: '/account/log',
  receipts: '/receipts',
  docs: '/docs',
}
/** What the operator gets besides. */
const OPERATOR = 'operator@example.com'
const OPERATOR_PAGES: Record<string, string> = {
  'operator-service': '/operator/service',
  'operator-accounts': '/operator/accounts',
  'operator-log': '/operator/log',
  'operator-settings': '/operator/settings',
}
const NEW_PAGES = {
  'new-overview': '/',
  'new-usage': '/usage',
  'new-keys': '/keys',
  'new-balance': '/balance',
  'new-alerts': '/alerts',
  'new-members': '/account/members',
  'new-receipts': '/receipts',
}
const WIDTHS = [1440, 768, 390]
const SCHEMES = ['light', 'dark'] as const
type Scheme = (typeof SCHEMES)[number]
/** The list of countries is longer than anybody looks at. */
const HEIGHT_MAX = 2400

const HOUR_MS = 3_600_000
const DAYS = 62
/** Other accounts, for the operator's list. */
const CUSTOMERS = 300
/** Requests that the server answers before the pictures, so that it has latencies to show. */
const LOOKUPS = 2000

interface Program {
  label: string
  /** Days ago that it began. */
  sinceDays: number
  /** Queries of a busy hour by usage class. */
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

/** Lives through the days before now, hour by hour. Returns the latest key. */
async function livePast(dir: string): Promise<{ secret: string; keyId: string; account: string }> {
  const endMs = Date.now()
  let nowMs = endMs - DAYS * 24 * HOUR_MS
  const clock = { ...systemClock, wallMs: () => nowMs, monotonicMs: () => nowMs }
  const accounts = await Accounts.open({ dir, clock })
  const random = seededRandom(11)
  const emails = Array.from({ length: CUSTOMERS }, (_, n) => `customer-${n}@example.com`)
  await Promise.all(emails.map(email => accounts.createAccount({ email })))
  const { id } = await accounts.createAccount({ email: DEMO_EMAIL })
  await accounts.setLowBalance(id, 20_000_000)
  const keys = new Map<Program, ApiKey>()
  let secret = ''
  let keyId = ''
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
        ;({ key: secret, id: keyId } = await accounts.createKey(id, { label: program.label }))
        key = accounts.charging.authenticate(Buffer.from(secret), 0, secret.length) as ApiKey
        keys.set(program, key)
      }
      // A business that grows by a half in two months, and no two hours alike.
      const growth = 1.5 - 0.5 * (daysAgo / DAYS)
      const share = program.load(date.getUTCHours(), date.getUTCDay()) * growth * (0.85 + random(30) / 100)
      for (const [usage, queries] of Object.entries(program.queries))
        accounts.charging.charge(key, Number(usage), Math.round(queries * share))
    }
    // Reading the usage flushes it, so that it belongs to this hour.
    accounts.usage(id, { by: 'hour' })
  }
  await accounts.close()
  return { secret, keyId, account: id }
}

async function takePicture(page: Page, address: string, width: number, file: string): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  await page.goto(address)
  if ((await page.locator('.chart').count()) > 0) await page.locator('.chart svg').first().waitFor()
  // As high as the page, so that the navigation reaches to its end as it does on a screen.
  const height = await page.evaluate<number>('document.documentElement.scrollHeight')
  await page.setViewportSize({ width, height: Math.min(height, HEIGHT_MAX) })
  await page.screenshot({ path: file })
  console.log(file)
}

async function signIn(page: Page, { entrance, dashboard }: TestServer, email?: string): Promise<void> {
  await page.goto(entrance)
  await page.goto(`${dashboard}/sign-in/development`)
  if (email !== undefined) await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

/** Every page in every width. */
async function takeAll(
  browser: Browser,
  server: TestServer,
  folder: string,
  scheme: Scheme,
  keyPages: Readonly<Record<string, string>>,
): Promise<void> {
  const wanted = new RegExp(PATTERN)
  for (const [email, pages] of [
    [DEMO_EMAIL, { ...OLD_PAGES, ...keyPages }],
    [`${scheme}@example.com`, NEW_PAGES],
    [OPERATOR, OPERATOR_PAGES],
  ] as const) {
    const names = Object.keys(pages).flatMap(name => WIDTHS.map(width => `${name}-${width}-${scheme}`))
    if (!names.some(name => wanted.test(name))) continue
    const page = await browser.newPage({ colorScheme: scheme })
    await page.goto(`${server.dashboard}/sign-in`)
    await signIn(page, server, email)
    for (const [name, path] of Object.entries(pages)) {
      for (const width of WIDTHS) {
        const picture = `${name}-${width}-${scheme}`
        if (!wanted.test(picture)) continue
        await takePicture(page, server.dashboard + path, width, join(folder, `${picture}.png`))
      }
    }
    await page.close()
  }
}

const dir = mkdtempSync(join(tmpdir(), 'postrie-'))
try {
  mkdirSync(FOLDER ?? OUT, { recursive: true })
  writeIndex(dir)
  const { secret: apiKey, keyId, account } = await livePast(dir)
  OPERATOR_PAGES['operator-account'] = `/operator/accounts/${account}`
  const pages = {
    key: `/keys/${keyId}`,
    'key-roll': `/keys/${keyId}/roll`,
    'key-revoke': `/keys/${keyId}/revoke`,
  }
  const server = await startServer(dir, {
    PUBLIC_API_URL: 'https://postal.example.com',
    OPERATORS: OPERATOR,
  })
  const browser = await launchBrowser()
  try {
    for (let n = 0; n < LOOKUPS; n++) await post(server.api, '/api/lookup', { zipcode: '90210', apiKey })
    for (const zipcode of ['00000', '']) await post(server.api, '/api/lookup', { zipcode, apiKey })
    for (const colorScheme of SCHEMES) {
      if (FOLDER !== undefined) {
        await takeAll(browser, server, FOLDER, colorScheme, pages)
        continue
      }
      const page = await browser.newPage({ colorScheme })
      await signIn(page, server)
      for (const [name, path] of Object.entries(PAGES))
        await takePicture(page, server.dashboard + path, WIDTH, join(OUT, `${name}-${colorScheme}.png`))
      await page.close()
    }
  } finally {
    await browser.close()
    await server.stop()
  }
} finally {
  rmSync(dir, { recursive: true })
}
