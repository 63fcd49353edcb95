/** `bench/benchmarks/pages.ts` measures the speed of these pages. */
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { NO_RULES } from '../../src/billing/accounts/views.ts'
import { loggedRequest, refusalCount } from '../support/activity.ts'
import { openBrowser, watch } from '../support/chromium.ts'
import { charge, startDashboard, type TestDashboard } from '../support/dashboard.ts'
import { expectAccessible, signIn } from '../support/pages.ts'
import { without } from '../support/programs.ts'

const PAGES = [
  ...'/ /keys /usage /usage?range=24h&split=key /usage?range=dates /requests /balance'.split(' '),
  ...'/alerts /docs /coverage /account /account/members /account/log /receipts'.split(' '),
]
const OPERATOR_PAGES = 'service revenue accounts accounts?q=nobody log settings'
  .split(' ')
  .map(name => `/operator/${name}`)
/** Longest email address and label. */
const EMAIL = `${'long.'.repeat(12)}name@${'department.'.repeat(16)}example.org`
const LABEL = 'production of the customer data quality programme, Rotterdam abcd'.slice(0, 64)
/** The last one is that of a new page. */
const SIZES = [
  [390, 844],
  [768, 1024],
  [1440, 900],
  [1280, 720],
] as const
/** Reports all that is cut off or out of sight in the window. A text, because it runs in the page, which has other types. */
const LAYOUT = `(() => {
  const all = selector => [...document.querySelectorAll(selector)]
  const pen = document.createElement('canvas').getContext('2d')
  const room = field => field.clientWidth - (field.type === 'search' ? 20 : 0) -
    parseFloat(getComputedStyle(field).paddingLeft) - parseFloat(getComputedStyle(field).paddingRight)
  const isBelow = (link, field) => link.getBoundingClientRect().top > field.getBoundingClientRect().bottom
  const [side] = all('.side')
  const isOut = ({ left, right }) => left < 0 || right > innerWidth
  return {
    fits: document.documentElement.scrollWidth <= innerWidth,
    wideTables: all('.scroll').flatMap(box => box.scrollWidth > box.clientWidth ? [box.ariaLabel] : []),
    narrowFields: all('search [placeholder]').flatMap(field => {
      pen.font = getComputedStyle(field).font
      return pen.measureText(field.placeholder).width > room(field) ? [field.placeholder] : []
    }),
    brokenWords: all('.legend .muted, thead .number:not(details *)').flatMap(({ textContent, firstChild }) => {
      const range = document.createRange()
      range.selectNodeContents(firstChild)
      const isBroken = new Set([...range.getClientRects()].map(({ top }) => top)).size > 1
      return /^\\S{1,9}$/.test(textContent) && isBroken ? [textContent] : []
    }),
    narrowValues: all('.pairs > dd').flatMap(({ offsetWidth, parentElement, textContent }) =>
      offsetWidth > 0 && offsetWidth < 0.4 * parentElement.clientWidth ? [textContent] : []),
    secondRows: innerWidth < 1280 ? 0 : all('search .end').filter(link =>
      isBelow(link, link.parentElement.querySelector('select, input:not([type=hidden])'))).length,
    emptyIcons: innerWidth < 1280 ? 0 :
      all('.side nav a').filter(link => !(link.querySelector('.icon[aria-hidden]')?.getBBox().width > 0)).length,
    cutNavigation: side.scrollHeight > side.clientHeight,
    tallHeader: innerWidth === 390 && side.clientHeight >= 80,
    hiddenLinks: innerWidth === 390 ? 0 :
      all('nav [aria-current]').filter(link => isOut(link.getBoundingClientRect())).length,
  }
})()`
const SOUND_LAYOUT = {
  ...{ fits: true, wideTables: [], narrowFields: [], narrowValues: [], brokenWords: [] },
  ...{ secondRows: 0, emptyIcons: 0, cutNavigation: false, tallHeader: false, hiddenLinks: 0 },
}
const REFUSED = [
  [
    400,
    'validate-bulk',
    'DEUTSCHLAND',
    'records[999].countryCode must be a 2-letter ISO 3166-1 alpha-2 code',
  ],
  [402, 'lookup', 'US', 'Insufficient balance'],
  [403, 'autocomplete', 'US', 'The rules of this key do not allow this endpoint'],
  [404, 'city', 'US', 'No ZIP codes found for the given city/state'],
  [429, 'lookup', 'US', 'Rate limit exceeded'],
] as const
const WEIGHT_BYTES_MAX = 35_000

const LAYOUT_SHIFTS = `new Promise(resolve => {
  const shifts = []
  const observer = new PerformanceObserver(list => shifts.push(...list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  requestAnimationFrame(() => setTimeout(() =>
    resolve([...shifts, ...observer.takeRecords()].map(({ value }) => value))))
})`
/** Lets every request list and count have a refused request of each kind. */
function refuseRequests({ dataPlane, accounts }: TestDashboard, id: string): void {
  const sender = accounts.keySlotOf(id)
  const of = { sender, durationMicros: 123_456, client: '2001:db8:85a3:1234:5678:8a2e:1370:7334' }
  const { activity } = dataPlane
  activity.requests = () =>
    REFUSED.map(([status, endpoint, country, error]) =>
      loggedRequest({ ...of, status, endpoint, country, error }),
    )
  activity.refusals = () =>
    REFUSED.map(([status, endpoint, , error]) =>
      refusalCount({ sender, requests: 123_456, status, endpoint, error }),
    )
}

t.test('every page meets its limits', { skip: without('chromium-headless-shell') }, async t => {
  const dashboard = await startDashboard(t, { OPERATORS: `demo@localhost,${EMAIL}` })
  const { origin, accounts } = dashboard
  const { id } = await accounts.createAccount({ email: 'demo@localhost' })
  const { id: keyId, secret: key } = await accounts.createKey(id, { label: 'first' })
  for (let n = 0; n < 30; n++) charge(accounts, key, n % 5)
  await accounts.setLowBalance(id, 1_000_000)
  await accounts.credit({ account: id, micros: 5_000_000, reference: 'invoice-17', kind: 'payment' })
  await accounts.teams.invite(id, { email: 'bob@example.com', role: 'billing' })
  await accounts.setLimits(id, { perMinute: 600, perHour: null, perDay: null })
  const { id: busy } = await accounts.createAccount({ email: EMAIL })
  const rules = { ...NO_RULES, endpoints: ['autocomplete', 'lookup-bulk'], addresses: ['203.0.113.0/24'] }
  const long = await accounts.createKey(busy, { label: 'W'.repeat(64), rules })
  await accounts.setKeyCap(long.id, 1_000_000_000)
  for (let n = 0; n < 30; n++) charge(accounts, long.secret, n % 5)
  const reference = 'R'.repeat(128)
  await accounts.credit({
    account: busy,
    micros: 1e12,
    reference,
    note: 'note '.repeat(51),
    kind: 'operator',
  })
  await accounts.credit({ account: busy, micros: 9_999_999_999, reference: 'stripe:pi', kind: 'payment' })
  await accounts.setLimits(busy, { perMinute: 10_000_000, perHour: 10_000_000, perDay: 10_000_000 })
  await accounts.teams.invite(busy, { email: `x${EMAIL.slice(1)}`, role: 'developer' })
  for (let n = 0; n < 3; n++) {
    const named = await accounts.createKey(busy, { label: LABEL })
    for (let queries = 0; queries < 3; queries++) charge(accounts, named.secret, n, 1 + queries * 123_456)
  }
  await accounts.setKeyCap(accounts.listKeys(busy).at(-1)?.id ?? '', 1)
  refuseRequests(dashboard, long.id)
  const tabs = ['', '/money', '/members', `/keys/${long.id}`]
  OPERATOR_PAGES.push(...tabs.map(tab => `/operator/accounts/${busy}${tab}`))
  OPERATOR_PAGES.push(`/operator/accounts/${id}`)
  const browser = await openBrowser(t)

  t.test('every page is small, does not move while it loads, and fits its window', async t => {
    const page = await browser.newPage()
    await signIn(page, dashboard.origin, EMAIL)
    await accounts.teams.add(id, busy, 'developer')
    const seen = watch(page, origin)
    /** The client decompresses. Compressing again gives about the same size. */
    const sizes = new Map<string, number>()
    for (const path of [...PAGES, ...OPERATOR_PAGES, `/keys/${long.id}`]) {
      const response = await page.goto(origin + path, { waitUntil: 'load' })
      t.same(await page.evaluate<number[]>(LAYOUT_SHIFTS), [], `nothing on ${path} moves while it loads`)
      const html = (await response?.text()) ?? ''
      let weight = gzipSync(html).length
      for (const asset of new Set(html.match(/(?<=(?:src|href)=")\/assets\/[^"#]+/g))) {
        if (!sizes.has(asset)) {
          const answer = await page.request.get(origin + asset)
          sizes.set(asset, gzipSync(await answer.body()).length)
        }
        weight += sizes.get(asset) ?? 0
      }
      t.ok(weight < WEIGHT_BYTES_MAX, `${path} weighs ${weight} bytes compressed`)
      for (const [width, height] of SIZES) {
        await page.setViewportSize({ width, height })
        t.same(await page.evaluate(LAYOUT), SOUND_LAYOUT, `${path}, ${width}`)
      }
    }
    t.same(seen, { foreign: [], problems: [] })
    await page.setViewportSize({ width: 390, height: 844 })
    const rows = async (path: string, row = 'tbody tr') => {
      await page.goto(origin + path)
      return page.evaluate<number[]>(
        `[...document.querySelectorAll('${row}')].map(({ offsetHeight }) => offsetHeight)`,
      )
    }
    await page.goto(`${origin}/requests`)
    const [chart, reasons] = await page.locator('h2').allTextContents()
    t.match([chart, reasons], [/^Errors /, /^Errors by reason/])
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height })
      const box = await page.locator('tbody tr').first().boundingBox()
      t.ok(box && box.y < height, `requests begin on the first screen, ${width}`)
    }
    await page.goto(`${origin}/operator/accounts`)
    const accountList = await page.getByRole('region', { name: 'Accounts' }).boundingBox()
    t.ok((accountList?.y ?? 720) < 360, 'accounts begin in the upper half of the window')
    const isCut = `[...document.querySelectorAll('search select')].some(({ offsetWidth, parentElement }) =>
      offsetWidth > parentElement.offsetWidth)`
    t.equal(await page.evaluate(isCut), false, 'a list has room for its longest text')
    await page.setViewportSize({ width: 390, height: 844 })
    t.ok(Math.max(...(await rows('/requests'))) < 150, 'a reason or a request has few lines')
    await page.goto(`${origin}/keys`)
    const [key, sort] = await Promise.all(
      ['tbody tr', 'thead tr'].map(part => page.locator(part).first().boundingBox()),
    )
    t.ok(key && sort && key.y < sort.y, 'keys are above the orders')
    const days = await rows('/receipts', 'tr:has(summary)')
    t.ok(Math.max(...days) < 80, `a day of a statement has two lines: ${days}`)
    await page.goto(`${origin}/docs`)
    await page.getByText('Endpoints', { exact: true }).click()
    t.ok(await page.getByRole('link', { name: 'nearest' }).isVisible(), 'a folded list of endpoints')
    t.ok(Math.max(...(await rows('/alerts', '.choices label'))) < 50, 'a kind of alert has one line')
    t.ok(Math.max(...(await rows('/coverage'))) < 60, 'a country has one line')
    await page.goto(`${origin}/account/log`)
    const [row, who] = await Promise.all(
      ['tr', 'td:last-child'].map(cell => page.locator(`tbody ${cell}`).first().boundingBox()),
    )
    t.ok(row && who && who.width > 0.9 * row.width, 'a name has the width of the window')
    const label = 'getComputedStyle(document.querySelector("td.detail"), "::before").display'
    t.equal(await page.evaluate<string>(label), 'none', 'a sentence needs no label')
    await page.goto(`${origin}/usage`)
    await page.getByText('As a table').click()
    const figures = '[...document.querySelectorAll("details td")].map(({ offsetLeft }) => offsetLeft)'
    t.equal(new Set(await page.evaluate<number[]>(figures)).size, 1, 'each figure has its line')
    await page.goto(`${origin}/receipts`)
    const [from, to] = await Promise.all(
      ['From', 'To'].map(label => page.getByLabel(label, { exact: true }).boundingBox()),
    )
    t.equal(from?.y, to?.y, 'both days are in one row')
    await page.goto(`${origin}/balance`)
    await page.getByLabel('US dollars', { exact: true }).fill('x')
    await page.getByRole('button', { name: 'Recharge' }).click()
    const [wrong, button] = await Promise.all(
      [page.locator('.wrong'), page.getByRole('button', { name: 'Recharge' })].map(each =>
        each.boundingBox(),
      ),
    )
    t.ok(wrong && button && button.y >= wrong.y + wrong.height, 'the button is below the problem')
    await page.goto(origin)
    t.notOk(await page.getByRole('button', { name: 'Sign out' }).isVisible())
    await page.getByRole('button', { name: 'Menu' }).click()
    t.ok(await page.getByRole('button', { name: 'Sign out' }).isVisible())
    t.ok(await page.getByText('owner', { exact: true }).isVisible(), 'the role in the chosen account')
    await page.getByRole('navigation').getByRole('link', { name: 'Usage' }).click()
    await page.waitForURL(`${origin}/usage`)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(`${origin}/operator/settings`)
    const lefts = `[...document.querySelectorAll('th:last-child')].map(({ offsetLeft }) => offsetLeft)`
    t.equal(new Set(await page.evaluate<number[]>(lefts)).size, 1, 'the tables of the settings are aligned')
    await page.goto(`${origin}/receipts`)
    await page.getByRole('link', { name: 'Receipt', exact: true }).first().click()
    await page.getByRole('button', { name: 'Print' }).waitFor()
    t.notOk(await page.getByText('with the menu of your browser').isVisible(), 'the button is enough')
    await page.goto(`${origin}/docs`)
    const [contents, guide] = await Promise.all(
      ['.guide > nav', '.guide > .stack'].map(part => page.locator(part).boundingBox()),
    )
    t.ok(contents && guide && contents.x + contents.width < guide.x, 'the contents are beside the reference')
    const example = await page.locator('.copyable code').first().boundingBox()
    t.ok((example?.width ?? 0) > 0.7 * (guide?.width ?? 0), 'an example has room')
    await page.emulateMedia({ media: 'print' })
    const paper = await page.locator('main').boundingBox()
    t.ok(paper !== null && paper.width > 1000, 'wide paper has no empty column')
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
    const page = await browser.newPage({ bypassCSP: true })
    await signIn(page, dashboard.origin)
    const receipt = accounts.statement(id).find(({ kind }) => kind === 'payment')?.sequence
    const ofKey = ['', '/roll', '/revoke'].map(action => `/keys/${keyId}${action}`)
    const others = [...ofKey, `/receipts/${receipt}`, '/operator/nothing']
    for (const path of [...PAGES, ...others, ...OPERATOR_PAGES]) {
      await page.goto(origin + path)
      // Colours and widths are independent, so two pairs cover all four.
      for (const [colorScheme, width] of [
        ['light', 1280],
        ['dark', 390],
      ] as const) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 844 })
        await expectAccessible(t, page, path)
        if (path === '/keys')
          t.match(await page.evaluate(LAYOUT), { wideTables: [] }, 'each figure is in sight')
      }
    }
    await page.close()
  })

  t.test('axe finds nothing serious on the pages of a new account', async t => {
    const viewport = { width: 390, height: 844 }
    const page = await browser.newPage({ colorScheme: 'light', viewport, bypassCSP: true })
    await signIn(page, dashboard.origin, `${'long'.repeat(46)}@example.com`)
    const pages =
      '/ /keys /usage /requests /balance /receipts /alerts /account /account/members /account/log'.split(' ')
    for (const path of pages) {
      await page.goto(origin + path)
      await expectAccessible(t, page, path)
      const tables = await page.locator('tbody:not(:has(tr))').count()
      t.equal(tables, 0, `${path} has no table without rows`)
    }
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'Create New Key' }).click()
    await page.getByText('It is not shown again.').waitFor()
    await expectAccessible(t, page, 'a fresh key')
    await page.close()
  })

  t.test('only copying, charts and live figures need scripts', async t => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await signIn(page, dashboard.origin)
    await page.goto(`${origin}/keys`)
    await page.locator('summary', { hasText: 'Create New Key' }).click()
    await page.getByRole('textbox', { name: 'Label' }).fill('scriptless')
    await page.getByRole('button', { name: 'Create New Key' }).click()
    t.match(await page.locator('.fresh').textContent(), 'pk_live_')
    await page.goto(`${origin}/usage`)
    t.ok(await page.locator('.chart svg').first().isVisible(), 'no box stays blank')
    await page.getByText('As a table').first().click()
    t.match(await page.locator('table').first().textContent(), 'lookup')
    for (const name of ['Copy', 'Jump to'])
      t.equal(await page.getByRole('button', { name }).count(), 0, 'no button that does nothing')
    await page.goto(`${origin}/receipts`)
    await page.getByRole('link', { name: 'Receipt' }).last().click()
    t.ok(await page.getByText('with the menu of your browser').isVisible())
    t.equal(await page.getByRole('button', { name: 'Print' }).count(), 0)
    await page.emulateMedia({ media: 'print' })
    t.notOk(await page.getByText('All receipts').isVisible(), 'paper has the receipt alone')
    await page.goto(`${origin}/operator/log`)
    await page.getByLabel('What').selectOption('Credit')
    await page.getByLabel('From').fill('2001-01-31')
    await page.getByRole('button', { name: 'Search' }).click()
    t.match(await page.locator('tbody').textContent(), /Credited \$5\.00 for a payment.*demo@localhost/)
    t.match(await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href'), 'from=2001-01-31')
    await context.close()
  })
})
