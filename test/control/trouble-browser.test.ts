/** Trouble as a browser shows it: slow answers, ended sessions, a service that is away, wide labels, no scripts. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { openBrowser, withoutBrowser } from '../support/chromium.ts'
import { startDashboard, type TestDashboard } from '../support/dashboard.ts'

async function signIn(page: Page, { origin, entrance }: TestDashboard): Promise<void> {
  await page.goto(entrance)
  await page.goto(`${origin}/sign-in/development`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${origin}/`)
}

t.test('trouble in a browser', { skip: withoutBrowser }, async t => {
  const dashboard = await startDashboard(t)
  const { origin, accounts } = dashboard
  const { id } = await accounts.createAccount({ email: 'demo@localhost' })
  const browser = await openBrowser(t)

  t.test('a form that waits shows it, and takes no second click', async t => {
    const page = await browser.newPage()
    await signIn(page, dashboard)
    await page.goto(`${origin}/keys`)
    let sent = 0
    page.on('request', request => {
      if (request.method() === 'POST') sent++
    })
    // In one turn of the page, before any answer can come.
    const busy = await page.evaluate<string | null>(`(() => {
      const button = [...document.querySelectorAll('button')].find(each => each.textContent === 'Create New Key')
      for (let click = 0; click < 3; click++) button.click()
      return button.form.getAttribute('aria-busy')
    })()`)
    t.equal(busy, 'true')
    await page.locator('.fresh').waitFor()
    t.equal(sent, 1)
    t.equal(accounts.listKeys(id).length, 1)
    await page.close()
  })

  t.test('a page that has lost its service or its session says so', async t => {
    for (const path of ['/', '/usage']) {
      const context = await browser.newContext()
      const page = await context.newPage()
      await signIn(page, dashboard)
      await page.goto(origin + path)
      await context.setOffline(true)
      await page.getByText('The service does not answer.').waitFor()
      await context.setOffline(false)
      await page.getByText('The service does not answer.').waitFor({ state: 'hidden' })
      const other = await context.newPage()
      await other.goto(`${origin}/account`)
      await other.getByRole('link', { name: 'Sign out everywhere' }).click()
      await other.getByRole('button', { name: 'Sign out everywhere' }).click()
      await other.waitForURL(`${origin}/sign-in`)
      await page.getByText('Your session has ended.').waitFor()
      const link = page.getByRole('link', { name: 'Sign in again' })
      t.equal(await link.getAttribute('href'), `/sign-in?next=${encodeURIComponent(path)}`)
      await context.close()
    }
  })

  t.test('a form that comes after the end of its session is shown again, with what was typed', async t => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await signIn(page, dashboard)
    const keys = accounts.listKeys(id).length
    await page.goto(`${origin}/keys`)
    await page.getByLabel('Label').fill('the till')
    await page.getByText('Rules: expiry').click()
    await page.getByLabel('Queries per minute').fill('7')
    await context.clearCookies({ name: 'postrie-session' })
    await page.getByRole('button', { name: 'Create New Key' }).click()
    await page.getByText('Your session has ended.').waitFor()
    await page.getByRole('link', { name: 'Continue as a developer' }).click()
    await page.getByText('Your session had ended when you sent this form').waitFor()
    t.equal(new URL(page.url()).pathname, '/keys')
    t.equal(await page.getByLabel('Label').inputValue(), 'the till')
    t.equal(await page.getByLabel('Queries per minute').inputValue(), '7')
    t.equal(accounts.listKeys(id).length, keys, 'nothing was made')
    await page.getByRole('button', { name: 'Create New Key' }).click()
    await page.locator('.fresh').waitFor()
    t.equal(accounts.listKeys(id).length, keys + 1)
    await context.close()
  })

  t.test('a label of 64 wide letters leaves the page as wide as the screen', async t => {
    const { id: keyId, key } = await accounts.createKey(id, { label: 'W'.repeat(64) })
    const apiKey = accounts.charging.authenticate(Buffer.from(key), 0, key.length)
    if (apiKey === undefined) throw new Error('the key is unknown')
    accounts.charging.charge(apiKey, 0, 3)
    for (const width of [1440, 390]) {
      const page = await browser.newPage({ viewport: { width, height: 844 } })
      await signIn(page, dashboard)
      for (const path of [
        '/keys',
        `/keys/${keyId}`,
        `/keys/${keyId}/revoke`,
        '/usage?split=key',
        '/balance',
      ]) {
        await page.goto(origin + path)
        const wide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
        t.notOk(wide, `${path} fits into ${width}`)
      }
      await page.goto(`${origin}/keys`)
      for (const cell of await page.locator('tbody tr').first().locator('td').all()) {
        const box = await cell.boundingBox()
        t.ok(
          box !== null && box.width > 0 && box.x + box.width <= width,
          `each figure is in sight at ${width}`,
        )
      }
      await page.close()
    }
  })

  t.test('without scripts no box stays blank', async t => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await signIn(page, dashboard)
    await page.locator('.chart svg').first().waitFor()
    t.equal(await page.locator('[data-copy]:visible').count(), 0)
    await context.close()
  })
})
