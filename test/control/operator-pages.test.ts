/** The operator's pages in a real browser: accessible, within the width, alone, with empty states and with data. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { openBrowser, watch, withoutBrowser } from '../support/chromium.ts'
import { startDashboard } from '../support/dashboard.ts'

const RUN_AXE = `axe.run(document).then(({ violations }) =>
  violations.map(({ impact, id, nodes }) => impact + ' ' + id + ': ' + nodes.map(node => node.html).join(' ')))`
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
t.setTimeout(120_000)

/** Where pictures of every page go, for people who look at them. */
const { POSTRIE_PICTURES } = process.env

t.test('pages of the console', { skip: withoutBrowser }, async t => {
  const { origin, entrance, accounts } = await startDashboard(t, { OPERATORS: 'demo@localhost' })
  const browser = await openBrowser(t)
  const { id } = await accounts.createAccount({
    email: 'a.rather.long.address.of.somebody@department.example.org',
  })
  const VIEWS = [
    ['light', 1440],
    ['dark', 1024],
    ['light', 390],
    ['dark', 390],
  ] as const
  const pages = ['service', 'accounts', `accounts/${id}`, 'log', 'settings']
  const look = async (state: string, views: readonly (typeof VIEWS)[number][], pages: readonly string[]) => {
    for (const [colorScheme, width] of views) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 844 }, bypassCSP: true })
      await page.goto(entrance)
      await page.goto(`${origin}/sign-in/development`)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.waitForURL(`${origin}/`)
      const seen = watch(page, origin)
      for (const path of [...pages.map(name => `/operator/${name}`), '/account/log']) {
        await page.goto(origin + path)
        if (POSTRIE_PICTURES !== undefined) {
          const name = `${path.slice(1).replaceAll(/[/?=]/g, '-').replace(id, 'one')}-${state}-${colorScheme}-${width}.png`
          await page.screenshot({ path: join(POSTRIE_PICTURES, name), fullPage: true })
        }
        await page.addScriptTag({ content: axe })
        t.same(await page.evaluate<string[]>(RUN_AXE), [], `${path}, ${state}, ${colorScheme}, ${width}`)
        const wide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
        t.notOk(wide, `${path} fits into ${width}`)
      }
      t.same(seen, { foreign: [], problems: [] })
      await page.close()
    }
  }
  // Two pairs show both colours and the widest and narrowest screens; pictures are made of all.
  await look('empty', VIEWS.slice(3), ['service', 'accounts?q=nobody', `accounts/${id}`])
  const { key } = await accounts.createKey(id, { label: 'W'.repeat(64) })
  const apiKey = accounts.charging.authenticate(Buffer.from(key), 0, key.length)
  if (apiKey === undefined) throw new Error('the key is unknown')
  for (let n = 0; n < 30; n++) accounts.charging.charge(apiKey, (n % 5) as 0, 1)
  await accounts.revokeKey((await accounts.createKey(id)).id)
  await accounts.credit({ account: id, micros: 5_000_000, reference: 'invoice-17', kind: 'operator' })
  await accounts.makeDurable()
  await accounts.suspend(id, 'an unpaid invoice')
  await look('full', POSTRIE_PICTURES === undefined ? VIEWS.slice(0, 1) : VIEWS.slice(0, 3), pages)

  // The flow of a suspension, as a person does it.
  const page = await browser.newPage()
  await page.goto(entrance)
  await page.goto(`${origin}/sign-in/development?next=/operator/accounts?q=rather`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'a.rather.long' }).click()
  await page.getByRole('link', { name: 'Resume' }).click()
  await page.getByLabel('Reason, which the owner reads').fill('the invoice is paid')
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Its keys are answered again').waitFor()
  t.equal(accounts.account(id)?.standing, null)
  await page.close()
})
