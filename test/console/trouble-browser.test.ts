import t from 'tap'
import { loggedRequest, refusalCount } from '../support/activity.ts'
import { openBrowser } from '../support/chromium.ts'
import { charge, startDashboard } from '../support/dashboard.ts'
import { entranceOf } from '../support/entrances.ts'
import { signIn } from '../support/pages.ts'
import { without } from '../support/programs.ts'

t.test('a browser shows what went wrong', { skip: without('chromium-headless-shell') }, async t => {
  const dashboard = await startDashboard(t, { OPERATORS: 'demo@localhost' })
  const { origin, accounts } = dashboard
  const { id } = await accounts.createAccount({ email: 'demo@localhost' })
  const browser = await openBrowser(t)

  t.test('a waiting form says so and ignores a second click', async t => {
    const page = await browser.newPage()
    await signIn(page, dashboard.origin)
    await page.goto(`${origin}/keys`)
    let sent = 0
    page.on('request', request => {
      if (request.method() === 'POST') sent++
    })
    // Both clicks come in one turn of the page, before any answer.
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

  t.test('a page says that the service is away or the session has ended', async t => {
    const context = await browser.newContext()
    const [overview, usage, other] = [
      await context.newPage(),
      await context.newPage(),
      await context.newPage(),
    ]
    await signIn(overview, dashboard.origin)
    await usage.goto(`${origin}/usage`)
    await context.setOffline(true)
    for (const page of [overview, usage]) await page.getByText('The service does not answer.').waitFor()
    await context.setOffline(false)
    for (const page of [overview, usage])
      await page.getByText('The service does not answer.').waitFor({ state: 'hidden' })
    await other.goto(`${origin}/account`)
    await other.getByRole('link', { name: 'Sign out everywhere' }).click()
    await other.getByRole('button', { name: 'Sign out everywhere' }).click()
    await other.getByText('You are signed out.').waitFor()
    for (const [page, path] of [
      [overview, '/'],
      [usage, '/usage'],
    ] as const) {
      await page.getByText('Your session has ended.').waitFor()
      const link = page.getByRole('link', { name: 'Sign in again' })
      t.equal(await link.getAttribute('href'), `/sign-in?next=${encodeURIComponent(path)}`)
    }
    await context.close()
  })

  t.test('reasons of refused requests unfold', async t => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    await signIn(page, dashboard.origin)
    const { id: folded } = await accounts.createKey(id, { label: 'folded' })
    const sender = accounts.keySlotOf(folded)
    const { activity } = dashboard.dataPlane
    const none = activity.refusals
    activity.refusals = () =>
      Array.from({ length: 7 }, (_, n) => refusalCount({ sender, error: `reason ${n}` }))
    await page.goto(`${origin}/requests?only=errors`)
    const shown = () => page.locator('tr:visible', { hasText: /reason \d/ }).count()
    t.equal(await shown(), 2, 'on a phone')
    await page.getByText('All 7 reasons').click()
    t.equal(await shown(), 7)
    activity.refusals = none
    const { sightings } = activity
    const times = { refused: 0, queries: 0, lastMs: Date.now() }
    activity.sightings = of =>
      (of === sender ? [1, 2, 3, 4, 5, 6, 7] : []).map(n => ({
        ...{ network: `192.0.2.${n}`, start: 'pk_live_', firstMs: n, requests: n === 1 ? 9 : 1, ...times },
      }))
    await page.setViewportSize({ width: 1280, height: 900 })
    await page.goto(`${origin}/keys/${folded}`)
    t.same(
      await page.locator('tr:visible th:has(a)').allTextContents(),
      ['192.0.2.7', '192.0.2.6', '192.0.2.5', '192.0.2.4', '192.0.2.3'],
      'the newest first',
    )
    await page.getByText('All 7 addresses').click()
    t.ok(await page.getByText('192.0.2.2', { exact: true }).isVisible())
    activity.sightings = sightings
    await page.close()
  })

  t.test('on a phone, filters are above their chart, and each balance has its name', async t => {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } })
    await signIn(page, origin, 'phone@example.com')
    charge(accounts, (await accounts.createKey('phone@example.com')).secret, 0, 1)
    await page.goto(`${origin}/usage`)
    const [chart, filters] = await Promise.all(
      ['.chart', 'search'].map(part => page.locator(part).boundingBox()),
    )
    t.ok(Number(filters?.y) < Number(chart?.y))
    await page.goto(`${origin}/receipts`)
    const names = `[...document.querySelectorAll('.entries td.number:last-child')]
      .map(each => [each.textContent !== '', getComputedStyle(each, '::before').content !== 'none'].join())`
    t.same(new Set(await page.evaluate<string[]>(names)), new Set(['true,true', 'false,false']))
    await page.close()
  })

  t.test('the log cuts no address of a person', async t => {
    const page = await browser.newPage()
    await signIn(page, origin, 'northwind-logistics-europe-accounting@northwind-logistics.example.com')
    await page.goto(`${origin}/limits`)
    await page.getByLabel('Queries per minute').fill('60')
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.goto(`${origin}/account/log`)
    t.same(new Set(await page.locator('td .label').allTextContents()), new Set(['you']))
    await signIn(page, origin)
    for (const width of [1280, 768, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await page.goto(`${origin}/operator/log`)
      await page.locator('td .label', { hasText: 'northwind' }).first().waitFor()
      const isCut = `[...document.querySelectorAll('td .label')].some(each => each.scrollWidth > each.clientWidth)`
      t.equal(await page.evaluate<boolean>(isCut), false, `${width}`)
      t.ok(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), 'and it fits')
    }
    await page.close()
  })

  t.test('requests are followed live, but not while somebody chooses a filter', async t => {
    const page = await browser.newPage()
    await signIn(page, dashboard.origin)
    const { id: key } = await accounts.createKey(id, { label: 'till' })
    let status = 404
    const { activity } = dashboard.dataPlane
    const sender = accounts.keySlotOf(key)
    const client = '192.0.2.7'
    activity.requests = () => [loggedRequest({ status, error: `error ${status}`, sender, client })]
    activity.refusals = () => [refusalCount({ status, sender })]
    await page.goto(`${origin}/requests`)
    await page.locator('td.detail summary').click()
    const [row, details] = await Promise.all(
      ['tr:has([open])', '[open] .pairs'].map(part => page.locator(part).boundingBox()),
    )
    t.ok(Number(details?.width) > 0.6 * Number(row?.width), 'details have all of the width')
    await page.setViewportSize({ width: 390, height: 844 })
    const texts = await page.locator('tr:has([open])').innerText()
    t.equal(texts.split(client).length, 2, 'on a phone, the address is there once')
    t.equal(texts.split('error 404').length, 2, 'so is the reason')
    const summary = page.locator('td.detail summary')
    await summary.click()
    const touched = await summary.boundingBox()
    await summary.click()
    t.equal((await summary.boundingBox())?.y, touched?.y, 'a row opens where it was touched')
    const filters = await Promise.all(
      ['endpoint', 'key'].map(name => page.locator(`select[name=${name}]`).boundingBox()),
    )
    t.equal(filters[0]?.y, filters[1]?.y, 'filters are beside each other')
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.getByRole('link', { name: 'Follow live' }).focus()
    await page.keyboard.press('Enter')
    await page.locator(':focus', { hasText: 'Stop' }).waitFor()
    const list = await page.locator('tbody tr').first().boundingBox()
    t.ok(Number(list?.y) < 300, 'the list is in sight')
    t.notMatch(await (await page.request.get(page.url())).text(), '>live<', 'only the script follows')
    await page.getByLabel('Status').focus()
    status = 429
    await page.waitForResponse(response => response.url().includes('/live.json'))
    await page.waitForResponse(response => response.url().includes('/live.json'))
    t.equal(await page.locator('td.detail', { hasText: 'error 429' }).count(), 0, 'the list stays')
    await page.getByText('paused as of').waitFor()
    await page.getByLabel('Status').blur()
    await page.locator('td.detail', { hasText: 'error 429' }).waitFor()
    await page.locator('.chart + p, .readout', { hasText: '429 rate limit' }).first().waitFor()
    const badge = page.locator('.tag.live')
    await badge.waitFor()
    await page.context().setOffline(true)
    await page.getByText('stopped as of').waitFor()
    t.equal(await badge.count(), 0)
    await page.context().setOffline(false)
    await badge.waitFor()
    await page.getByRole('link', { name: 'Stop' }).click()
    await page.locator(':focus', { hasText: 'Follow live' }).waitFor()
    activity.requests = activity.refusals = () => []
    await page.close()
  })

  t.test('a form after the end of the session keeps the typed text', async t => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await signIn(page, dashboard.origin)
    const keys = accounts.listKeys(id).length
    await page.goto(`${origin}/keys`)
    await page.locator('summary', { hasText: 'Create New Key' }).click()
    await page.getByLabel('Label').fill('the till')
    await page.getByText('Rules: expiry').click()
    await page.getByLabel('Queries per minute').first().fill('7')
    await context.clearCookies({ name: 'postrie-session' })
    await page.getByRole('button', { name: 'Create New Key' }).first().click()
    await page.getByText('Your session has ended.').waitFor()
    const token = new URL(await entranceOf(origin)).searchParams.get('token') ?? ''
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('your session had ended when you sent this form').waitFor()
    t.match(await page.locator(':focus').textContent(), 'your session had ended', 'it has the focus')
    t.equal(new URL(page.url()).pathname, '/keys')
    t.equal(await page.getByLabel('Label').inputValue(), 'the till')
    t.equal(await page.getByLabel('Queries per minute').first().inputValue(), '7')
    t.equal(accounts.listKeys(id).length, keys, 'nothing was made')
    await page.getByRole('button', { name: 'Create New Key' }).first().click()
    await page.locator('.fresh').waitFor()
    t.equal(accounts.listKeys(id).length, keys + 1)
    await context.close()
  })

  t.test(
    'a chart of 40 million queries fits its axis and reads out its numbers, and a link opens the form of a cap',
    async t => {
      const { id: keyId, secret: key } = await accounts.createKey(id, { label: 'large' })
      await accounts.credit({ account: id, micros: 2_000_000_000, reference: 'large', kind: 'payment' })
      charge(accounts, key, 0, 40_000_000)
      const page = await browser.newPage()
      await signIn(page, dashboard.origin)
      await page.goto(`${origin}/usage?range=24h`)
      const [axis, bar] = await Promise.all(
        ['.chart svg', 'a:last-of-type rect:last-child'].map(part =>
          page.locator(part).first().boundingBox(),
        ),
      )
      const bottomOf = (box: typeof bar) => Math.round((box?.y ?? 0) + (box?.height ?? 0))
      t.equal(bottomOf(bar), bottomOf(axis))
      t.ok((bar?.height ?? 0) > 0.75 * (axis?.height ?? 0), 'the axis ends near the largest bar')
      await page.goto(`${origin}/usage?range=24h&endpoint=lookup`)
      const readout = page.locator('.readout')
      await page.locator('.chart a').last().hover()
      await readout.getByText(/UTC\s+lookup: 40,000,000, \$1,120\.00$/).waitFor()
      await page.locator('.chart a').last().focus()
      await page.keyboard.press('ArrowLeft')
      await readout.getByText(/UTC\s+total: 0$/).waitFor()
      const hour = ((await readout.textContent()) ?? '').slice(0, 13)
      await page.keyboard.press('Enter')
      const day = hour.slice(0, 10)
      // The log began later.
      await page.waitForURL(`${origin}/usage?range=dates&from=${day}&to=${day}&key=&endpoint=lookup`)
      await page.goto(`${origin}/keys/${keyId}#cap-usd`)
      await page.getByLabel('US dollars, empty for no cap').and(page.locator(':focus')).waitFor()
      const heading = await page.getByRole('heading', { name: 'Monthly cap' }).boundingBox()
      t.ok(heading && heading.y > 0, 'its heading is in sight')
      await page.close()
    },
  )

  t.test('keys go to the search, not while somebody types, and to pages and keys by name', async t => {
    const page = await browser.newPage()
    await signIn(page, dashboard.origin)
    await page.goto(`${origin}/keys`)
    await page.keyboard.press('Control+/')
    const search = page.getByRole('searchbox')
    t.equal(await search.and(page.locator(':focus')).count(), 0)
    await page.keyboard.press('/')
    await search.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('gu?/')
    t.equal(await search.inputValue(), 'gu?/')
    const { id: keyId, secret: key } = await accounts.createKey(id, { label: 'quay crane' })
    await page.keyboard.press('Control+k')
    const jump = page.getByRole('textbox', { name: 'Jump to' })
    await jump.fill('stat')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${origin}/receipts`)
    await page.keyboard.press('Control+k')
    for (const [word, name] of [
      ['invoice', 'Receipts, invoices and refunds'],
      ['webhook', 'Webhook and email alerts'],
      ['spending cap', 'Roll or revoke a key, set its spending cap'],
    ] as const) {
      await jump.fill(word)
      await page.getByRole('link', { name }).waitFor()
    }
    await jump.fill('limits')
    for (const key of ['ArrowDown', 'ArrowUp']) await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    await page.waitForURL(`${origin}/limits`)
    for (const wanted of ['crane', key]) {
      await page.goto(origin)
      await page.getByRole('button', { name: 'Jump to' }).click()
      await jump.fill(wanted)
      await page.getByRole('dialog').getByRole('link', { name: 'quay crane' }).first().waitFor()
      await page.getByRole('dialog').getByText('quay crane (pk_live_').waitFor()
      const indent = 'getComputedStyle(document.querySelector("dialog .under")).paddingLeft'
      t.equal(await page.evaluate<string>(indent), '0px', 'the start of a key is below its label')
      await page.keyboard.press('Enter')
      await page.waitForURL(`${origin}/keys/${keyId}`)
    }
    const { activity } = dashboard.dataPlane
    const { requests } = activity
    const sender = accounts.keySlotOf(keyId)
    activity.requests = () =>
      ['198.51.100.77', '2001:db8::7'].map(client => loggedRequest({ status: 402, sender, client }))
    charge(accounts, key)
    for (const [wanted, path] of [
      ['198.51.100.77', '/requests?q=198.51.100.77'],
      ['2001:db8::7', '/requests?q=2001%3Adb8%3A%3A7'],
      ['402', '/requests?q=402'],
      ['leak', '/keys?order=today#content'],
      ['stolen', '/keys?order=today#content'],
    ] as const) {
      await page.goto(origin)
      await page.keyboard.press('Control+k')
      await jump.fill(wanted)
      await page.keyboard.press('Enter')
      await page.waitForURL(origin + path)
    }
    activity.requests = requests
    await page.keyboard.press('Control+k')
    await jump.fill('germ')
    await page.getByRole('dialog').getByRole('link', { name: 'Germany DE' }).waitFor()
    await page.keyboard.press('Escape')
    const { id: suspended } = await accounts.createAccount({ email: 'stopped@example.net' })
    await accounts.suspend(suspended, 'asked for')
    await page.keyboard.press('Control+k')
    await jump.fill('stopped@')
    await page.getByRole('link', { name: 'stopped@example.net suspended' }).waitFor()
    await page.keyboard.press('Escape')
    for (const name of ['joann', 'ann', 'dann'])
      await accounts.createAccount({ email: `${name}@example.net` })
    for (let n = 0; n < 6; n++) await accounts.createAccount({ email: `n${n}.ann@example.net` })
    await page.keyboard.press('Control+k')
    await jump.fill('ann@example.net')
    await page.getByRole('link', { name: 'All 9 in Accounts' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${origin}/operator/accounts/${accounts.account('ann@example.net')?.id}`)
    await page.goto(`${origin}/operator/accounts`)
    const wide = page.viewportSize() ?? { width: 1280, height: 720 }
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByRole('link', { name: 'Opened' }).click()
    await page.waitForURL(/way=reversed/)
    await page.setViewportSize(wide)
    await page.getByRole('link', { name: 'Balance' }).click()
    await page.waitForURL(/order=balance/)
    await page.locator('th a:focus', { hasText: 'Balance ↓' }).waitFor()
    await page.getByRole('searchbox').fill('dann')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=dann/)
    await page.locator('input[type=search]:focus').waitFor()
    await page.goto(origin)
    await page.keyboard.press('Control+k')
    await jump.fill('dann@example.net')
    await page.keyboard.press('Enter')
    // Enter came before the answer.
    await page.waitForURL(`${origin}/operator/accounts/${accounts.account('dann@example.net')?.id}`)
    await page.keyboard.press('Control+k')
    await jump.fill('no such thing')
    await page.getByRole('link', { name: 'Search the log for “no such thing”' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${origin}/operator/log?what=all&q=no+such+thing`)
    await page.close()
  })

  t.test('rules of a key are folded away, and stay as typed after an error', async t => {
    const { id: keyId } = await accounts.createKey(id, { label: 'production' })
    const page = await browser.newPage()
    await signIn(page, dashboard.origin)
    await page.goto(`${origin}/keys`)
    t.notOk(await page.getByLabel('Allowed addresses').isVisible())
    await page.goto(`${origin}/keys/${keyId}`)
    t.notOk(await page.getByLabel('Queries per minute').isVisible(), 'one form is open at a time')
    await page.getByText('Rules', { exact: true }).click()
    const [date, limit] = await Promise.all(
      ['Expires (UTC)', 'Queries per minute'].map(label => page.getByLabel(label).boundingBox()),
    )
    t.ok(date && limit && date.y + date.height <= limit.y, 'the date has a line of its own')
    await page.getByLabel('Expires (UTC)').fill('2099-12-31T23:59')
    await page.getByLabel('Allowed addresses').fill('10.0.0.0/8\nnowhere')
    await page.getByRole('button', { name: 'Save the rules' }).click()
    await page.getByText('"nowhere" must be an address').waitFor()
    const focused = (label: string) => page.getByLabel(label).and(page.locator(':focus'))
    await focused('Allowed addresses').waitFor()
    t.equal(await page.getByLabel('Allowed addresses').inputValue(), '10.0.0.0/8\nnowhere')
    await page.goto(`${origin}/keys`)
    await page.locator('summary', { hasText: 'Create New Key' }).click()
    await page.getByText('Rules: expiry').click()
    await page.getByLabel('Expires (UTC)').fill('2001-01-31T12:00')
    await page.getByLabel('Queries per hour').first().fill('many')
    await page.getByRole('button', { name: 'Create New Key' }).first().click()
    await focused('Expires (UTC)').waitFor()
    t.equal(await page.getByRole('alert').count(), 2, 'both wrong fields say why')
    await page.goto(`${origin}/balance`)
    await page.getByLabel('US dollars', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Recharge' }).click()
    await focused('US dollars').waitFor()
    await page.close()
  })
})
