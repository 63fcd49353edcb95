/** `bench/benchmarks/pages.ts` measures the speed of these pages. */
import { gzipSync } from 'node:zlib'
import type { BrowserContext, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { NO_RULES } from '../../src/billing/accounts/views.ts'
import { openBrowser, watch } from '../support/chromium.ts'
import { charge, startDashboard } from '../support/dashboard.ts'
import { expectAccessible, expectFits, signIn } from '../support/pages.ts'
import { without } from '../support/programs.ts'

const PAGES = [
  ...'/ /keys /usage /usage?range=24h&unit=dollars&split=key /requests /balance /limits'.split(' '),
  ...'/alerts /docs /coverage /account /account/members /account/log /receipts'.split(' '),
]
const OPERATOR_PAGES = 'service accounts accounts?q=nobody log settings'
  .split(' ')
  .map(name => `/operator/${name}`)
const WIDE_TABLES = `[...document.querySelectorAll('.scroll')].flatMap(box =>
  box.scrollWidth > box.clientWidth ? [box.ariaLabel] : [])`
const NARROW_FIELDS = `[...document.querySelectorAll('search [placeholder]')].flatMap(field => {
  const pen = document.createElement('canvas').getContext('2d')
  pen.font = getComputedStyle(field).font
  const { paddingLeft, paddingRight } = getComputedStyle(field)
  const room = field.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
  return pen.measureText(field.placeholder).width > room ? [field.placeholder] : []
})`
const WEIGHT_BYTES_MAX = 60_000

// A text, because it runs in the page, which has other types.
const LAYOUT_SHIFTS = `new Promise(resolve => {
  const shifts = []
  const observer = new PerformanceObserver(list => shifts.push(...list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => setTimeout(() =>
    resolve([...shifts, ...observer.takeRecords()].map(({ value }) => value))))
})`
async function compressedBytes(context: BrowserContext, url: string): Promise<number> {
  const response = await context.request.get(url, { headers: { 'Accept-Encoding': 'gzip' } })
  // The client has decompressed the body. Compressing it again gives about the same size.
  return gzipSync(await response.body()).length
}

t.test('every page meets its limits', { skip: without('chromium') }, async t => {
  const dashboard = await startDashboard(t, { OPERATORS: 'demo@localhost' })
  const { origin, accounts } = dashboard
  const { id } = await accounts.createAccount({ email: 'demo@localhost' })
  const { id: keyId, key } = await accounts.createKey(id, { label: 'first' })
  for (let n = 0; n < 30; n++) charge(accounts, key, n % 5)
  await accounts.setLowBalance(id, 1_000_000)
  await accounts.credit({ account: id, micros: 5_000_000, reference: 'invoice-17', kind: 'payment' })
  await accounts.teams.invite(id, { email: 'bob@example.com', role: 'billing' })
  await accounts.setLimits(id, { perMinute: 600, perHour: null, perDay: null })
  const { id: busy } = await accounts.createAccount({ email: 'busy@example.com' })
  const rules = { ...NO_RULES, endpoints: ['autocomplete', 'lookup-bulk'], addresses: ['203.0.113.0/24'] }
  const long = await accounts.createKey(busy, { label: 'W'.repeat(64), rules })
  await accounts.setKeyCap(long.id, 1_000_000_000)
  for (let n = 0; n < 30; n++) charge(accounts, long.key, n % 5)
  OPERATOR_PAGES.push(`/operator/accounts/${id}`, `/operator/accounts/${busy}`)
  const browser = await openBrowser(t)

  t.test('every page fits a tablet', async t => {
    const page = await browser.newPage({ viewport: { width: 768, height: 1024 } })
    await signIn(page, dashboard.origin)
    for (const path of [...PAGES, ...OPERATOR_PAGES, `/keys/${keyId}`]) {
      await page.goto(origin + path)
      await expectFits(t, page, path)
      const clipped = await page.evaluate<string[]>(WIDE_TABLES)
      t.same(clipped, [], `no table of ${path} is cut off`)
      t.same(await page.evaluate<string[]>(NARROW_FIELDS), [], `each field of ${path} shows its example`)
      // The user's own pages have no link there.
      for (const link of await page.locator('nav [aria-current]').all()) {
        const box = await link.boundingBox()
        t.ok(box !== null && box.x >= 0 && box.x + box.width <= 768, `the link to ${path} is in sight`)
      }
    }
    await page.close()
  })

  t.test('axe finds nothing serious in light, in dark, and on a phone', async t => {
    await accounts.renameKey(keyId, 'W'.repeat(64))
    const { id: rather } = await accounts.createAccount({
      email: 'a.rather.long.address.of.somebody@department.example.org',
    })
    await accounts.revokeKey((await accounts.createKey(rather)).id)
    await accounts.suspend(rather, 'an unpaid invoice')
    OPERATOR_PAGES.push(`/operator/accounts/${rather}`)
    // Colours and widths are independent, so two pairs cover all four.
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true })
      await signIn(page, dashboard.origin)
      const receipt = accounts.statement(id).find(({ kind }) => kind === 'payment')?.sequence
      const ofKey = ['', '/roll', '/revoke'].map(action => `/keys/${keyId}${action}`)
      for (const path of [...PAGES, ...ofKey, `/receipts/${receipt}`, ...OPERATOR_PAGES]) {
        await audit(t, page, path)
        if (path === '/keys')
          t.same(await page.evaluate<string[]>(WIDE_TABLES), [], 'each figure is in sight')
      }
      await page.close()
    }
  })

  t.test('axe finds nothing serious on the pages of a new account', async t => {
    const viewport = { width: 390, height: 844 }
    const page = await browser.newPage({ colorScheme: 'light', viewport, bypassCSP: true })
    await signIn(page, dashboard.origin, `${'long'.repeat(46)}@example.com`)
    const pages =
      '/ /keys /usage /requests /balance /receipts /alerts /account /account/members /account/log'.split(' ')
    for (const path of pages) {
      await audit(t, page, path)
      const tables = await page.locator('tbody:not(:has(tr))').count()
      t.equal(tables, 0, `${path} has no table without rows`)
    }
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'Create New Key' }).click()
    await page.getByText('It is not shown again.').waitFor()
    await audit(t, page, null)
    await page.close()
  })

  /** @param path null for the current page */
  async function audit(t: Test, page: Page, path: string | null): Promise<void> {
    if (path !== null) await page.goto(origin + path)
    await expectAccessible(t, page, path ?? 'a fresh key')
  }

  t.test('every page is small, does not shift, and loads nothing from other hosts', async t => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await signIn(page, dashboard.origin)
    const seen = watch(page, origin)
    for (const path of [...PAGES, ...OPERATOR_PAGES]) {
      await page.goto(origin + path, { waitUntil: 'load' })
      t.same(await page.evaluate<number[]>(LAYOUT_SHIFTS), [], `nothing on ${path} moves while it loads`)
      const links = (await page.content()).matchAll(/(?:src|href)="(\/assets\/[^"#]+)/g)
      const assets = new Set(Array.from(links, ([, name]) => name))
      const sizes = await Promise.all([path, ...assets].map(name => compressedBytes(context, origin + name)))
      const weight = sizes.reduce((sum, bytes) => sum + bytes, 0)
      t.ok(weight < WEIGHT_BYTES_MAX, `${path} weighs ${weight} bytes compressed`)
    }
    t.same(seen, { foreign: [], problems: [] })
    await context.close()
  })

  t.test('only copying, charts and live figures need scripts', async t => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await signIn(page, dashboard.origin)
    await page.goto(`${origin}/keys`)
    await page.getByRole('textbox', { name: 'Label' }).fill('scriptless')
    await page.getByRole('button', { name: 'Create New Key' }).click()
    t.match(await page.locator('.fresh').textContent(), 'pk_live_')
    await page.goto(`${origin}/usage`)
    t.ok(await page.locator('.chart svg').first().isVisible(), 'no box stays blank')
    await page.getByText('As a table').first().click()
    t.match(await page.locator('table').first().textContent(), 'lookup')
    t.equal(await page.getByRole('button', { name: 'Copy' }).count(), 0, 'no button that does nothing')
    await page.goto(`${origin}/receipts`)
    await page.getByRole('link', { name: 'Receipt' }).last().click()
    t.ok(await page.getByText('with the menu of your browser').isVisible())
    t.equal(await page.getByRole('button', { name: 'Print' }).count(), 0)
    await page.emulateMedia({ media: 'print' })
    t.notOk(await page.getByText('All receipts').isVisible(), 'paper has the receipt alone')
    await page.goto(`${origin}/operator/log`)
    await page.getByLabel('What').selectOption('Credit')
    await page.getByLabel('From').fill('2001-01-31')
    await page.getByRole('button', { name: 'Show' }).click()
    t.match(await page.locator('tbody').textContent(), 'Credited $5.00 to demo@localhost for a payment')
    t.match(await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href'), 'from=2001-01-31')
    await context.close()
  })
})
