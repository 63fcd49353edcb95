import { readFileSync } from 'node:fs'
import t from 'tap'
import { openBrowser, watch } from '../support/chromium.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { startHook } from '../support/hook.ts'
import { waitForUtcMinute } from '../support/minute.ts'
import { signIn } from '../support/pages.ts'
import { post } from '../support/post.ts'
import { startServer } from '../support/processes.ts'
import { without } from '../support/programs.ts'
import { startSmtpCatcher } from '../support/smtp-catcher.ts'
import { until } from '../support/until.ts'

t.test(
  'a customer uses the dashboard in a browser',
  { skip: without('chromium-headless-shell') },
  async t => {
    const folder = t.testdir()
    writeIndex(folder)
    const [smtp, hook] = [await startSmtpCatcher(t), await startHook(t)]
    const server = await startServer(folder, { ...smtp.env, ALERT_PRIVATE_WEBHOOKS: '1' })
    t.teardown(() => server.stop())
    const browser = await openBrowser(t)
    const opened = async () => {
      const page = await browser.newPage()
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
      const go = (section: string) =>
        page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click()
      return { page, press, go, seen: watch(page, server.dashboard) }
    }
    const lookup = (apiKey: string) => post(server.api, '/api/lookup', { zipcode: '90210', apiKey })

    t.test(
      'a customer signs in, creates, uses and limits a key, recharges, revokes, and signs out',
      async t => {
        const { page, press, go, seen } = await opened()
        await signIn(page, server.dashboard, 'ada@example.com')
        await page.getByRole('heading', { name: 'Overview' }).waitFor()
        const balance = page.locator('[data-live=exactBalance]')
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
        t.notMatch(await page.content(), key, 'shown once')

        await go('Overview')
        t.equal(await ticks(), 1, 'the key is there')
        t.equal((await lookup(key)).status, 200)
        await page.getByText('It works: $0.000028 charged, 999 queries left.').waitFor()
        t.equal(await ticks(), 3, 'the steps are ticked by themselves')
        await page.locator('[data-live=exactBalance]', { hasText: '$0.027972' }).waitFor()
        t.pass('the balance moves by itself')
        await page.getByRole('link', { name: 'Go to your figures' }).click()
        await page.locator('.chart svg').first().waitFor()
        await page.locator('.legend', { hasText: /^lookup 1$/ }).waitFor()
        t.pass('the chart updates by itself')

        await go('API keys')
        await go('Rate limits')
        const perMinute = page.locator('#limits-perMinute')
        await perMinute.fill('0')
        await press('Turn on')
        t.match(await page.getByRole('alert').textContent(), 'from 1 to 10,000,000')
        await perMinute.and(page.locator(':focus')).fill('2')
        await press('Turn on')
        await page.getByText('Rate limiting is on.').waitFor()
        await waitForUtcMinute(20_000)
        const statuses = [await lookup(key), await lookup(key), await lookup(key)]
        const refused = statuses.at(-1)
        t.same(
          statuses.map(answer => answer.status),
          [200, 200, 429],
        )
        const wait = Math.ceil(60 - (Date.now() % 60_000) / 1000)
        const { retryAfter } = JSON.parse(refused?.text ?? '{}') as { retryAfter: number }
        t.ok(Math.abs(retryAfter - wait) <= 1, `retryAfter ${retryAfter}, ${wait} until the full minute`)
        await page.locator('[data-live=perMinute]', { hasText: '2 counted this minute, 100%' }).waitFor()
        await press('Turn off')
        await page.getByText('Rate limiting is off.').waitFor()

        await go('Balance')
        await page.getByLabel('US dollars', { exact: true }).fill('5')
        await press('Recharge')
        await page.getByText('$5.00 has been credited.').waitFor()
        await go('Statement and receipts')
        await page.getByRole('cell', { name: '+$5.03' }).waitFor()
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByText('Export CSV').click(),
        ])
        t.match(file.suggestedFilename(), /^postrie-statement-.*\.csv$/)

        await go('API reference')
        const reference = page.locator('#lookup')
        await reference.getByText('Try it').click()
        await reference.getByLabel('API key').fill(key)
        await reference.getByRole('button', { name: 'Send' }).click()
        const answer = reference.locator('[role=status]')
        await answer.getByText('"Beverly Hills"').waitFor()
        t.notMatch(await answer.textContent(), key, 'the key is not shown with its answer')

        await go('API keys')
        await page.getByRole('link', { name: 'billing', exact: true }).click()
        await page.getByRole('link', { name: 'Revoke' }).click()
        await press('Revoke the key')
        await page.getByText('The key “billing” is revoked.').waitFor()
        t.equal((await lookup(key)).status, 401, 'on the next request')

        await press('Sign out')
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        await page.goto(`${server.dashboard}/balance`)
        t.match(page.url(), '/sign-in?next=%2Fbalance')
        t.same(seen, { foreign: [], problems: [] }, 'no other host, no errors')
        await page.close()
      },
    )

    t.test('a customer takes the first steps and watches alerts, usage and the statement', async t => {
      const { page, press, go, seen } = await opened()
      await signIn(page, server.dashboard, 'bob@example.com')
      await press('Create New Key')
      await page.getByText('It is not shown again.').waitFor()
      const sources = await page.locator('[data-copy-source]').allTextContents()
      const [key = '', curl = ''] = sources
      t.match(key, /^pk_live_[0-9A-Za-z]{36}$/)
      t.match(curl, key, 'the command has the key, so it can be pasted as it is')
      t.equal((await post(server.api, '/api/lookup', { zipcode: '90210', apiKey: key })).status, 200)
      await page.getByRole('link', { name: 'Go to your figures' }).click()
      await page.locator('.chart svg').first().waitFor()

      await go('Alerts')
      const box = (channel: string) =>
        page.getByRole('group', { name: channel }).getByLabel('A key was created')
      await box('Email').check()
      await box('Webhook').check()
      await press('Save')
      t.match(await page.getByRole('alert').textContent(), 'Enter the address')
      t.ok(await box('Email').isChecked(), 'the choice is kept')
      await page.getByLabel('Webhook URL').fill(hook.url)
      await press('Save')
      await page.getByText('Your alerts are saved.').waitFor()
      await press('Send a test')
      await page.getByText('A test is being sent.').waitFor()
      await until(() => hook.messages.length === 1 && smtp.emails.length === 1)
      await go('API keys')
      await page.locator('summary', { hasText: 'Create New Key' }).click()
      await page.getByLabel('Label').fill('import')
      await press('Create New Key')
      const second = (await page.locator('[data-copy-source]').first().textContent()) ?? ''
      await until(() => hook.messages.length === 2 && smtp.emails.length === 2)
      t.match(smtp.emails[1]?.raw, 'The key import')
      await go('Alerts')
      const delivered = page.getByText('delivered', { exact: true })
      await delivered.nth(3).waitFor()
      t.equal(await delivered.count(), 4, 'the last alert and the test, by each channel')

      for (let n = 0; n < 3; n++)
        await post(server.api, '/api/validate', { zipcode: '90210', apiKey: second })
      await go('Usage')
      const total = page.locator('.total')
      await page.getByText('4 queries').waitFor()
      await page.locator('select[name=endpoint]').selectOption('validate')
      await page.getByText('3 queries').waitFor()
      t.match(page.url(), 'endpoint=validate', 'a choice applies itself')
      t.match(await total.textContent(), '3 queries, $0.000084', 'exact')
      await page.getByLabel('Time').selectOption('24h')
      await page.waitForURL(/range=24h/)
      await page.locator('select[name=range]:focus').waitFor()
      t.notMatch(page.url(), /=(&|$)/, 'no empty parameters')
      await page.getByLabel('Split').selectOption('key')
      await page.locator('.legend', { hasText: /^import 3$/ }).waitFor()
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByText('Export CSV').click()])
      t.match(readFileSync(await file.path(), 'utf8'), /^hour_utc,Total,import \(pk_live_.*\),dollars\r\n/)
      await page.locator('select[name=key]').selectOption({ index: 2 })
      await page.getByText('No charged queries in this time.').waitFor()
      await page.getByRole('link', { name: 'Show all of 90 days' }).click()
      await page.locator('.chart svg').first().waitFor()

      await go('Balance')
      await go('Statement and receipts')
      await page.getByText('4 queries so far with 2 keys').click()
      await page.getByText('3 queries, $0.000084').waitFor()
      t.same(seen, { foreign: [], problems: [] }, 'no other host, no errors')
      await page.close()
    })
  },
)
