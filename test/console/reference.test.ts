import { createServer } from 'node:http'
import t from 'tap'
import { DEMO_EMAIL } from '../../src/billing/demo-account.ts'
import { dollars, QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
import { exampleAnswer } from '../../src/service/endpoints/endings.ts'
import { ENDPOINT_LIST, pathsOf } from '../../src/service/endpoints/table.ts'
import { openBrowser, watch } from '../support/chromium.ts'
import { Browser, signInAs, startDashboard } from '../support/dashboard.ts'
import { listenUntilEnd } from '../support/listening.ts'
import { signIn } from '../support/pages.ts'
import { without } from '../support/programs.ts'

t.test('anybody reads every endpoint in under 120 KB', async t => {
  const { origin } = await startDashboard(t)
  const answer = await fetch(`${origin}/docs`)
  const text = await answer.text()
  t.ok(text.length < 120_000, `${text.length} bytes, before compression`)
  for (const endpoint of ENDPOINT_LIST) {
    const { example, usageClass } = endpoint
    const records = 'records' in example.body ? (example.body.records as unknown[]).length : 1
    const spent = usageClass === null ? QUERY_PRICE_MICROS : records * QUERY_PRICE_MICROS
    const { totalCost = dollars(spent), balance } = exampleAnswer(endpoint) as Record<string, number>
    t.same([totalCost, balance], [dollars(spent), dollars(5_000_000 - spent)], 'an example has its price')
    t.match(text, `id="${endpoint.name}"`)
    for (const path of pathsOf(endpoint)) t.match(text, `POST ${path}`)
    for (const field of Object.keys(endpoint.fields)) t.match(text, `<code>${field}</code>`)
  }
  t.match(text, 'Beverly Hills')
  for (const status of [401, 402, 403, 404, 429])
    t.match(text, new RegExp(`id="errors".*<th scope="row">${status}</th><td[^>]*>.+?</td><td[^>]*>[^<]+`))
  t.notMatch(text, 'name="apiKey"', 'strangers send nothing through this service')
  const stranger = new Browser(origin)
  t.equal((await stranger.post('/docs/try/lookup', { apiKey: 'x' })).status, 303)
})

t.test('only keys that a person may change are sent from the address of the server', async t => {
  const dashboard = await startDashboard(t)
  const { accounts } = dashboard
  let requests = 0
  const api = createServer((_, response) => {
    requests++
    response.end('{}')
  })
  Object.assign(dashboard.dataPlane, { port: await listenUntilEnd(t, api) })
  const [ada, eve] = [
    await signInAs(dashboard, 'ada@example.com'),
    await signInAs(dashboard, 'eve@example.com'),
  ]
  const rules = {
    expiresMs: null,
    limits: { perMinute: null, perHour: null, perDay: null },
    endpoints: null,
    addresses: ['127.0.0.1/32'],
  }
  const { secret: key, account } = await accounts.createKey('ada@example.com', { rules })
  const statusOf = async (browser: Browser, apiKey = key) => {
    await browser.submit('/docs', '/docs/try/lookup', { apiKey, zipcode: '90210' })
    return /Not sent|(?<=<span class="tag \w+">)\d+(?=<)/.exec(await browser.read('/docs'))?.[0]
  }
  t.equal(await statusOf(eve), 'Not sent', 'a stolen key')
  t.equal(await statusOf(eve, 'pk_live_guessed'), 'Not sent', 'a guess')
  const asked = '/docs?try=lookup&country=DE&zipcode=10115'
  t.match(
    await eve.read(asked),
    /id="lookup".*<details open="" data-try="true">.*name="zipcode" value="10115"/s,
  )
  t.match(await new Browser(dashboard.origin).read(asked), `next=${encodeURIComponent(`${asked}#lookup`)}"`)
  const person = accounts.account('eve@example.com')?.id ?? ''
  await accounts.teams.add(account, person, 'billing')
  t.equal(await statusOf(eve), 'Not sent', 'a member who may not see keys')
  t.equal(requests, 0)
  t.equal(await statusOf(ada), '200')
  await accounts.teams.change(account, person, 'developer')
  t.equal(await statusOf(eve), '200')
})

t.test(
  'the page sends a request and shows its answer',
  { skip: without('chromium-headless-shell') },
  async t => {
    const dashboard = await startDashboard(t)
    const { origin } = dashboard
    const browser = await openBrowser(t)
    const page = await browser.newPage()
    const seen = watch(page, origin)
    await signIn(page, dashboard.origin)
    await page.goto(`${origin}/docs#validate`)
    const section = page.locator('#validate')
    await section.getByText('Try it').click()
    await section.getByLabel('zipcode').fill('SW1A')
    const { secret: key } = await dashboard.accounts.createKey(DEMO_EMAIL)
    await section.getByLabel('API key').fill(key)
    await section.getByRole('button', { name: 'Send' }).click()
    // The data plane of this test does not listen.
    await section.getByText('The API does not answer').waitFor()
    await page.setViewportSize({ width: 260, height: 720 })
    const isCut = `(each => each.scrollWidth > each.clientWidth)(document.querySelector('[role=status] pre'))`
    t.equal(await page.evaluate(isCut), false, 'no answer is cut')
    await page.setViewportSize({ width: 1280, height: 720 })
    t.equal(await section.getByLabel('zipcode').inputValue(), 'SW1A')
    t.equal(await page.locator('#lookup [name=apiKey]').inputValue(), key, 'typed once in a tab')
    await page.reload()
    t.equal(await page.locator('#lookup [name=apiKey]').inputValue(), '', 'the key is not stored')
    t.equal(await page.locator('#nearest [name=zipcode]').inputValue(), '90210')
    t.equal(await page.locator('#nearest [name=latitude]').inputValue(), '', 'a code or a point, not both')
    const isShown = (id: string, text: string) =>
      page.locator(`#${id} .copyable`).getByText(text).first().isVisible()
    await section.getByRole('link', { name: 'Python' }).click()
    await page.waitForURL('**/docs?in=Python#validate')
    t.same([await isShown('validate', 'curl'), await isShown('validate', 'urllib')], [false, true])
    t.ok(await isShown('lookup', 'urllib'), 'in all examples')
    await page.setViewportSize({ width: 1440, height: 800 })
    await page.evaluate('scrollTo(0, 5000)')
    const inSight = await page.getByRole('navigation', { name: 'Endpoints' }).boundingBox()
    t.ok((inSight?.y ?? -1) >= 0 && (inSight?.y ?? 0) < 800, 'the list of endpoints stays in sight')
    t.same(seen, { foreign: [], problems: [] }, 'no other host, no errors')

    const scriptless = await browser.newPage({ javaScriptEnabled: false })
    await scriptless.goto(`${origin}/docs`)
    await scriptless.locator('#lookup').getByRole('link', { name: 'JavaScript' }).click()
    await scriptless.locator('#lookup').getByText('await fetch').waitFor()
    t.notOk(await scriptless.locator('#lookup').getByText('curl http').isVisible())
    await scriptless.setViewportSize({ width: 390, height: 844 })
    await signIn(scriptless, origin)
    await scriptless.goto(`${origin}/docs`)
    await scriptless.locator('#lookup').getByText('Try it').click()
    await scriptless.locator('#lookup').getByLabel('API key').fill('pk_live_other')
    await scriptless.locator('#lookup').getByRole('button', { name: 'Send' }).click()
    const answer = await scriptless.getByText('Not sent.').boundingBox()
    t.ok(answer && answer.y > 0 && answer.y < 800, 'the answer is in sight')
  },
)
