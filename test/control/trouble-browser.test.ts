/** Trouble as a browser shows it: slow answers, ended sessions, a service that is away, wide labels, no scripts. */
import t from 'tap'
import { openBrowser, withoutBrowser } from '../support/chromium.ts'
import { charge, startDashboard } from '../support/dashboard.ts'
import { expectFits, signIn } from '../support/pages.ts'

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
    await page.getByRole('button', { name: 'Create New Key' }).first().click()
    await page.getByText('Your session has ended.').waitFor()
    await page.getByRole('link', { name: 'Continue as a developer' }).click()
    await page.getByText('your session had ended when you sent this form').waitFor()
    t.equal(new URL(page.url()).pathname, '/keys')
    t.equal(await page.getByLabel('Label').inputValue(), 'the till')
    t.equal(await page.getByLabel('Queries per minute').inputValue(), '7')
    t.equal(accounts.listKeys(id).length, keys, 'nothing was made')
    await page.getByRole('button', { name: 'Create New Key' }).first().click()
    await page.locator('.fresh').waitFor()
    t.equal(accounts.listKeys(id).length, keys + 1)
    await context.close()
  })

  t.test('a label of 64 wide letters leaves the page as wide as the screen', async t => {
    const { id: keyId, key } = await accounts.createKey(id, { label: 'W'.repeat(64) })
    charge(accounts, key, 0, 3)
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
        await expectFits(t, page, path)
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

  t.test('a bar of 40 million queries stands on the axis, and a link to a cap opens its form', async t => {
    const { id: keyId, key } = await accounts.createKey(id, { label: 'large' })
    await accounts.credit({ account: id, micros: 2_000_000_000, reference: 'large', kind: 'payment' })
    charge(accounts, key, 0, 40_000_000)
    const page = await browser.newPage()
    await signIn(page, dashboard)
    for (const unit of ['queries', 'dollars']) {
      await page.goto(`${origin}/usage?range=24h&unit=${unit}`)
      const [axis, bar] = await Promise.all(
        ['.chart svg', 'g:last-of-type [fill]'].map(part => page.locator(part).first().boundingBox()),
      )
      const bottomOf = (box: typeof bar) => Math.round((box?.y ?? 0) + (box?.height ?? 0))
      t.equal(bottomOf(bar), bottomOf(axis), unit)
    }
    await page.goto(`${origin}/keys/${keyId}#cap`)
    t.ok(await page.getByLabel('US dollars, empty for no cap').isVisible())
    await page.close()
  })

  t.test('an address of 200 characters breaks no page', async t => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    await signIn(page, dashboard, `${'long'.repeat(46)}@example.com`)
    for (const path of ['/', '/keys', '/balance', '/account', '/account/members', '/account/log']) {
      await page.goto(origin + path)
      await expectFits(t, page, path)
    }
    await page.close()
  })

  t.test('keys of the keyboard lead to pages and to the search, and ? shows them', async t => {
    const page = await browser.newPage()
    await signIn(page, dashboard)
    for (const [letter, path] of [
      ['u', '/usage'],
      ['c', '/coverage'],
      ['k', '/keys'],
    ]) {
      await page.keyboard.press('g')
      await page.keyboard.press(letter)
      await page.waitForURL(origin + path)
    }
    await page.keyboard.press('Control+/')
    const search = page.getByRole('searchbox')
    t.equal(await search.and(page.locator(':focus')).count(), 0)
    await page.keyboard.press('/')
    await search.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('gu?/')
    t.equal(await search.inputValue(), 'gu?/', 'who types is left alone')
    await search.blur()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard' })
    t.match(await dialog.innerText(), /g\s*b\s*Balance/)
    t.equal(await dialog.locator('dt').count(), 2 + (await page.locator('nav [data-key]').count()))
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.close()
  })
})
