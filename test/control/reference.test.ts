import t from 'tap'
import { ENDPOINT_LIST, pathsOf } from '../../src/endpoints/table.ts'
import { openBrowser, watch } from '../support/chromium.ts'
import { Browser, startDashboard } from '../support/dashboard.ts'
import { signIn } from '../support/pages.ts'
import { without } from '../support/programs.ts'

t.test('anybody reads every endpoint in under 120 KB', async t => {
  const { origin } = await startDashboard(t)
  const answer = await fetch(`${origin}/docs`)
  const text = await answer.text()
  t.ok(text.length < 120_000, `${text.length} bytes, before compression`)
  for (const endpoint of ENDPOINT_LIST) {
    t.match(text, `id="${endpoint.name}"`)
    for (const path of pathsOf(endpoint)) t.match(text, `POST ${path}`)
    for (const field of Object.keys(endpoint.fields)) t.match(text, `<code>${field}</code>`)
  }
  t.match(text, 'Beverly Hills')
  t.notMatch(text, 'name="apiKey"', 'strangers send nothing through this service')
  const found = await (await fetch(`${origin}/docs?q=distance`)).text()
  t.match(found, /id="nearest".*id="distance"/s)
  t.notMatch(found, 'id="balance"')
  t.match(found, '2 endpoints found')
  t.match(found, '<code><mark>distance</mark></code>')
  const busy = await (await fetch(`${origin}/docs?q=429`)).text()
  t.match(busy, /<details open(="")?><summary>Errors<.*?<mark>429<\/mark>/s, 'the found endpoint is open')
  t.match(await (await fetch(`${origin}/docs?q=zzz`)).text(), 'No endpoint matches')
  const stranger = new Browser(origin)
  t.equal((await stranger.post('/docs/try/lookup', { apiKey: 'x' })).status, 303)
})

t.test('the page sends a request and shows its answer', { skip: without('chromium') }, async t => {
  const dashboard = await startDashboard(t)
  const { origin } = dashboard
  const browser = await openBrowser(t)
  const page = await browser.newPage()
  const seen = watch(page, origin)
  await signIn(page, dashboard)
  await page.goto(`${origin}/docs#validate`)
  const section = page.locator('#validate')
  await section.getByText('Try it').click()
  await section.getByLabel('zipcode').fill('SW1A')
  await section.getByLabel('API key').fill('pk_live_of_nobody')
  await section.getByRole('button', { name: 'Send' }).click()
  // The data plane of this test does not listen.
  await section.getByText('The API does not answer').waitFor()
  t.equal(await section.getByLabel('zipcode').inputValue(), 'SW1A')
  t.equal(
    await page.locator('#lookup [name=apiKey]').inputValue(),
    'pk_live_of_nobody',
    'typed once in a tab',
  )
  await page.reload()
  t.equal(await page.locator('#lookup [name=apiKey]').inputValue(), '', 'the key is not stored')
  t.equal(await page.locator('#nearest [name=zipcode]').inputValue(), '90210')
  t.equal(await page.locator('#nearest [name=latitude]').inputValue(), '', 'a code or a point, not both')
  const isShown = (id: string, text: string) =>
    page.locator(`#${id} .copyable`).getByText(text).first().isVisible()
  await section.getByText('Python').click()
  t.same([await isShown('validate', 'curl'), await isShown('validate', 'urllib')], [false, true])
  t.ok(await isShown('lookup', 'urllib'), 'in all examples')
  await page.setViewportSize({ width: 1440, height: 800 })
  await page.evaluate('scrollTo(0, 5000)')
  const inSight = await page.getByRole('navigation', { name: 'Endpoints' }).boundingBox()
  t.ok((inSight?.y ?? -1) >= 0 && (inSight?.y ?? 0) < 800, 'the list of endpoints stays in sight')
  t.same(seen, { foreign: [], problems: [] }, 'no other host, no errors')

  const scriptless = await browser.newPage({ javaScriptEnabled: false })
  await scriptless.goto(`${origin}/docs`)
  await scriptless.locator('#lookup').getByText('JavaScript', { exact: true }).click()
  await scriptless.locator('#lookup').getByText('await fetch').waitFor()
  t.notOk(await scriptless.locator('#lookup').getByText('curl http').isVisible())
})
