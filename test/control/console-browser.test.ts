/** What a customer watches and is alerted to, in a real browser against the real service. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { openBrowser, watch, withoutBrowser } from '../support/chromium.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { startHook } from '../support/hook.ts'
import { post } from '../support/post.ts'
import { startServer } from '../support/processes.ts'
import { startSmtpCatcher } from '../support/smtp-catcher.ts'
import { until } from '../support/until.ts'

t.test('first steps, alerts, usage and statement', { skip: withoutBrowser }, async t => {
  const folder = t.testdir()
  writeIndex(folder)
  const [smtp, hook] = [await startSmtpCatcher(t), await startHook(t)]
  const server = await startServer(folder, { ...smtp.env, ALERT_PRIVATE_WEBHOOKS: '1' })
  t.teardown(() => server.stop())
  const browser = await openBrowser(t)
  const page = await browser.newPage()
  const seen = watch(page, server.dashboard)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const go = (section: string) =>
    page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click()

  await page.goto(server.entrance)
  await page.getByRole('link', { name: 'Continue as a developer' }).click()
  await page.getByLabel('Email').fill('ada@example.com')
  await press('Sign in')
  await press('Create New Key')
  await page.getByText('It is not shown again.').waitFor()
  const sources = await page.locator('[data-copy-source]').allTextContents()
  const [key = '', curl = ''] = sources
  t.match(key, /^pk_live_[0-9A-Za-z]{36}$/)
  t.match(curl, key, 'the command has the key, so it can be pasted as it is')
  t.equal((await post(server.api, '/api/lookup', { zipcode: '90210', apiKey: key })).status, 200)
  await page.getByRole('link', { name: 'Go to your figures' }).click()
  await page.locator('.chart svg').waitFor()

  await go('Alerts')
  await page.getByLabel('Email: A key was created').check()
  await page.getByLabel('Webhook: A key was created').check()
  await press('Save')
  t.match(await page.getByRole('alert').textContent(), 'Enter the address')
  t.ok(await page.getByLabel('Email: A key was created').isChecked(), 'what was chosen is still there')
  await page.getByLabel('Webhook URL').fill(hook.url)
  await press('Save')
  await page.getByText('Your alerts are saved.').waitFor()
  await press('Send a test')
  await page.getByText('A test is being sent.').waitFor()
  await until(() => hook.messages.length === 1 && smtp.emails.length === 1)
  await go('API keys')
  await page.getByLabel('Label').fill('import')
  await press('Create New Key')
  const second = (await page.locator('[data-copy-source]').first().textContent()) ?? ''
  await until(() => hook.messages.length === 2 && smtp.emails.length === 2)
  t.match(smtp.emails[1]?.raw, 'The key import')
  await go('Alerts')
  t.equal(await page.getByText('delivered', { exact: true }).count(), 4)

  for (let n = 0; n < 3; n++) await post(server.api, '/api/validate', { zipcode: '90210', apiKey: second })
  await go('Usage')
  const total = page.locator('.total')
  await page.getByText('4 queries').waitFor()
  await page.locator('select[name=endpoint]').selectOption('validate')
  await page.getByText('3 queries').waitFor()
  t.match(page.url(), 'endpoint=validate', 'a choice applies itself')
  await page.getByLabel('Unit').selectOption('dollars')
  await page.getByText('$0.000084').first().waitFor()
  t.equal(await total.locator('strong span').getAttribute('title'), '$0.000084')
  await page.getByLabel('Time').selectOption('24h')
  await page.waitForURL(/range=24h/)
  await page.getByLabel('Split').selectOption('key')
  await page.locator('.legend', { hasText: '$0.000084' }).waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByText('Export CSV').click()])
  t.match(readFileSync(await file.path(), 'utf8'), /^hour_utc,import \(pk_live_.*\),total_usd\r\n/)
  await page.locator('select[name=key]').selectOption({ index: 2 })
  await page.getByText('No charged queries in this time.').waitFor()
  await page.getByRole('link', { name: 'Show all of 90 days' }).click()
  await page.locator('.chart svg').waitFor()

  await go('Balance')
  await page.getByText('4 queries with 2 keys').click()
  await page.getByText('3 queries, $0.000084').waitFor()
  t.same(seen, { foreign: [], problems: [] }, 'no other host, no complaint')
})
