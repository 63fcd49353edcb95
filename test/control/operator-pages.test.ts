/** The operator's pages in a real browser: accessible, within the width, alone, with empty states and with data. */
import t from 'tap'
import { openBrowser, watch, withoutBrowser } from '../support/chromium.ts'
import { charge, startDashboard } from '../support/dashboard.ts'
import { expectAccessible, signIn } from '../support/pages.ts'

t.setTimeout(240_000)

t.test('pages of the console', { skip: withoutBrowser }, async t => {
  const dashboard = await startDashboard(t, { OPERATORS: 'demo@localhost' })
  const { origin, entrance, accounts } = dashboard
  const browser = await openBrowser(t)
  const { id } = await accounts.createAccount({
    email: 'a.rather.long.address.of.somebody@department.example.org',
  })
  const VIEWS = [
    ['light', 1440],
    ['dark', 768],
    ['light', 390],
    ['dark', 390],
  ] as const
  const pages = ['service', 'accounts', `accounts/${id}`, 'log', 'settings']
  const look = async (state: string, views: readonly (typeof VIEWS)[number][], pages: readonly string[]) => {
    for (const [colorScheme, width] of views) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true })
      await signIn(page, dashboard)
      const seen = watch(page, origin)
      for (const path of [...pages.map(name => `/operator/${name}`), '/account/log']) {
        await page.goto(origin + path)
        await expectAccessible(t, page, `${path}, ${state}`)
      }
      t.same(seen, { foreign: [], problems: [] })
      await page.close()
    }
  }
  // Colours and widths do not depend on each other.
  await look('empty', VIEWS.slice(3), ['service', 'accounts?q=nobody', `accounts/${id}`])
  const { key } = await accounts.createKey(id, { label: 'W'.repeat(64) })
  for (let n = 0; n < 30; n++) charge(accounts, key, n % 5)
  await accounts.revokeKey((await accounts.createKey(id)).id)
  await accounts.credit({ account: id, micros: 5_000_000, reference: 'invoice-17', kind: 'operator' })
  await accounts.makeDurable()
  await accounts.suspend(id, 'an unpaid invoice')
  await look('full', VIEWS.slice(0, 2), pages)

  // The flow of a suspension, as a person does it, then the last of many pages.
  const page = await browser.newPage()
  await page.goto(entrance)
  await page.goto(`${origin}/sign-in/development?next=/operator/accounts?q=rather`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'a.rather.long' }).click()
  await page.getByRole('link', { name: 'Resume' }).click()
  await page.getByLabel('Reason (the owner sees it)').fill('the invoice is paid')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Its keys are answered again').waitFor()
  t.equal(accounts.account(id)?.standing, null)
  await Promise.all(
    Array.from({ length: 200 }, (_, n) => accounts.createAccount({ email: `${n}@example.net` })),
  )
  await page.goto(`${origin}/operator/accounts?q=example.net`)
  await page.getByRole('link', { name: 'Last', exact: true }).click()
  await page.locator('[name=page][value="4"]').waitFor()
  await page.getByLabel('Page number').fill('2')
  await page.getByRole('button', { name: 'Go' }).click()
  await page.locator('form:has([name=page][value="2"])', { hasText: 'of 4, 200 accounts' }).waitFor()
  await page.close()
})
