/** Coverage for people: the map of the world, and the page of each country. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import t from 'tap'
import { openBrowser, watch, withoutBrowser } from '../support/chromium.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { startServer } from '../support/processes.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RUN_AXE = 'axe.run(document).then(({ violations }) => violations.map(({ id }) => id))'

t.test('coverage', async t => {
  const server = await startServer(t.testdir(), { INDEX_FILE: DEFAULT_INDEX, BULK_WORKERS: '0' })
  t.teardown(() => server.stop())
  const origin = server.dashboard

  t.test('a country of the map leads to its page', { skip: withoutBrowser }, async t => {
    const browser = await openBrowser(t)
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, bypassCSP: true })
    const seen = watch(page, origin)
    const audit = async () => {
      await page.evaluate(axe)
      t.same(await page.evaluate(RUN_AXE), [], `axe on ${page.url()}`)
    }
    await page.goto(`${origin}/coverage`, { waitUntil: 'networkidle' })
    await audit()
    const boxOf = async (name: string) => {
      const box = await page.locator('.world a', { hasText: `${name}: ` }).boundingBox()
      return box ?? { x: 0, y: 0, width: 0, height: 0 }
    }
    const { x, y, width, height } = await boxOf('United States')
    t.ok(width > 100 && height > 50, 'the shape has been fetched and drawn')
    t.ok((await boxOf('Canada')).y < y, 'north is above')
    // Kansas, in a box from Hawaii to Maine.
    await page.mouse.click(x + width * 0.7, y + height * 0.65)
    await page.waitForURL(`${origin}/coverage/US`)
    const text = await page.locator('main').innerText()
    for (const part of [/ZIP Code/i, /NNNNN\s+such as \d{5}/, /GeoNames/]) t.match(text, part)
    await audit()
    t.same(seen, { foreign: [], problems: [] })
  })

  t.test('every country of ISO 3166-1 has a page, and nothing else has', async t => {
    const textOf = async (path: string) => {
      const response = await fetch(`${origin}${path}`)
      return [response.status, await response.text()] as const
    }
    const [, list] = await textOf('/coverage')
    const codes = new Set(Array.from(list.matchAll(/href="\/coverage\/([A-Z]{2})"/g), ([, code]) => code))
    t.ok(codes.size >= 249, `${codes.size} countries`)
    for (const code of codes) t.equal((await textOf(`/coverage/${code}`))[0], 200, code)
    for (const path of ['/coverage/ZZ', '/coverage/us', '/coverage/USA'])
      t.equal((await textOf(path))[0], 404, path)
    t.match((await textOf('/coverage/AE'))[1], /Its post has no codes/)
    t.match((await textOf('/coverage/NG'))[1], /none is here/)
  })
})
