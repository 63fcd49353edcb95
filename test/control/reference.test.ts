/** The API reference in a real browser: drawn whole, from this service alone, under a policy that allows no inline code. */
import t from 'tap'
import { OPERATIONS } from '../../src/openapi/operations.ts'
import { openBrowser, watch, withoutBrowser } from '../support/chromium.ts'
import { startDashboard } from '../support/dashboard.ts'

t.test('anybody reads it, and no other page may show foreign images', async t => {
  const { origin } = await startDashboard(t)
  const policy = async (path: string) =>
    (await fetch(origin + path)).headers.get('Content-Security-Policy') ?? ''
  t.match(await policy('/docs'), "script-src 'self'; style-src 'self'; img-src 'self' data:")
  t.notMatch(await policy('/coverage'), 'data:')
})

t.test('it shows every operation', { skip: withoutBrowser }, async t => {
  const { origin } = await startDashboard(t)
  const browser = await openBrowser(t)
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } })
  const seen = watch(page, origin)
  await page.goto(`${origin}/docs`)
  for (const { path } of OPERATIONS) {
    await page.locator(`[data-path="${path}"]`).first().waitFor()
  }
  await page.locator('[data-path="/api/lookup"]').first().click()
  await page.getByText('Beverly Hills').first().waitFor()
  const file = process.env.REFERENCE_SCREENSHOT
  if (file !== undefined) await page.screenshot({ path: file })
  t.same(seen, { foreign: [], problems: [] }, 'no other host, no complaint')
})
