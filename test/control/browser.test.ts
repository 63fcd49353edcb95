/** Everything a customer does in the dashboard, in a real browser against the real service. */
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { openBrowser, watch, withoutBrowser } from '../support/chromium.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { post } from '../support/post.ts'
import { startServer } from '../support/processes.ts'

/** Resolves when at least `seconds` of the present minute are left, so that its window holds what follows. */
async function roomInTheMinute(seconds: number): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000)
  if (left < seconds * 1000) await setTimeout(left)
}

t.test(
  'sign in, create a key, use it, limit it, recharge, revoke, sign out',
  { skip: withoutBrowser },
  async t => {
    const folder = t.testdir()
    writeIndex(folder)
    const server = await startServer(folder)
    t.teardown(() => server.stop())
    const browser = await openBrowser(t)
    const page = await browser.newPage()
    const seen = watch(page, server.dashboard)
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const go = (section: string) =>
      page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click()
    const lookup = (apiKey: string) => post(server.api, '/api/lookup', { zipcode: '90210', apiKey })

    await page.goto(server.entrance)
    await page.getByRole('link', { name: 'Continue as a developer' }).click()
    await page.getByLabel('Email').fill('ada@example.com')
    await press('Sign in')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const balance = page.locator('[data-live=balance]')
    t.equal(await balance.textContent(), '$0.028', 'the free queries')
    const ticks = () => page.locator('.steps .tick:not(:empty)').count()
    t.equal(await ticks(), 0, 'a new account has done none of the steps')
    t.notOk(await page.getByRole('link', { name: 'Go to your figures' }).isVisible())

    await go('API keys')
    await page.getByLabel('Label').fill('billing')
    await press('Create New Key')
    const key = (await page.locator('[data-copy-source]').first().textContent()) ?? ''
    t.match(key, /^pk_live_[0-9A-Za-z]{36}$/)
    await page.reload()
    t.notMatch(await page.content(), key, 'seen once and never again')

    await go('Overview')
    t.equal(await ticks(), 1, 'the key is there')
    t.equal((await lookup(key)).status, 200)
    await page.getByText('It works: $0.000028 charged, 999 queries left.').waitFor()
    t.equal(await ticks(), 3, 'the steps are ticked by themselves')
    await page.locator('[data-live=balance][title="$0.027972"]').waitFor()
    t.pass('the balance moves by itself')
    await page.getByRole('link', { name: 'Go to your figures' }).click()
    await page.locator('.chart svg').waitFor()
    await page.getByText('lookup', { exact: true }).waitFor()
    t.pass('and so does the chart')

    await go('Rate limits')
    await page.getByLabel('Per minute').fill('0')
    await press('Turn on')
    t.match(await page.getByRole('alert').textContent(), 'from 1 to 10,000,000')
    await page.getByLabel('Per minute').fill('2')
    await press('Turn on')
    await page.getByText('Rate limiting is on.').waitFor()
    await roomInTheMinute(20)
    const statuses = [await lookup(key), await lookup(key), await lookup(key)]
    const refused = statuses.at(-1)
    t.same(
      statuses.map(answer => answer.status),
      [200, 200, 429],
    )
    const wait = Math.ceil(60 - (Date.now() % 60_000) / 1000)
    const { retryAfter } = JSON.parse(refused?.text ?? '{}') as { retryAfter: number }
    t.ok(Math.abs(retryAfter - wait) <= 1, `retryAfter ${retryAfter}, ${wait} until the full minute`)
    await page.locator('[data-live=perMinute]', { hasText: /^2$/ }).waitFor()
    await page.getByRole('link', { name: 'Turn rate limiting off' }).click()
    await press('Turn off')
    await page.getByText('Rate limiting is off.').waitFor()

    await go('Balance')
    await page.getByLabel('US dollars', { exact: true }).fill('5')
    await press('Recharge')
    await press('Pay $5.00')
    await page.getByText('$5.00 has been credited.').waitFor()
    t.match(await page.locator('main').textContent(), '$5.027916')
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByText('Export CSV').click()])
    t.match(file.suggestedFilename(), /^postrie-statement-.*\.csv$/)

    await go('API reference')
    const reference = page.locator('#lookup')
    await reference.getByText('Try it').click()
    await reference.getByLabel('API key').fill(key)
    await reference.getByRole('button', { name: 'Send' }).click()
    const answer = reference.locator('[role=status]')
    await answer.getByText('"Beverly Hills"').waitFor()
    t.notMatch(await answer.textContent(), key, 'the key is not shown with its answer')
    t.equal(await answer.locator('.outline circle').count(), 1, 'its place is on the outline of the country')

    await go('API keys')
    await page.getByRole('link', { name: 'Revoke' }).click()
    await press('Revoke the key')
    await page.getByText('The key is revoked.').waitFor()
    t.equal((await lookup(key)).status, 401, 'on the next request')

    await press('Sign out')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(`${server.dashboard}/balance`)
    t.match(page.url(), '/sign-in?next=%2Fbalance')
    t.same(seen, { foreign: [], problems: [] }, 'no other host, no complaint')
  },
)
