import t from 'tap'
import { openBrowser, watch } from '../support/chromium.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { expectAccessible } from '../support/pages.ts'
import { startServer } from '../support/processes.ts'
import { without } from '../support/programs.ts'

t.test('coverage is shown on a map and on pages', async t => {
  const server = await startServer(t.testdir(), { INDEX_FILE: DEFAULT_INDEX, BULK_WORKERS: '0' })
  t.teardown(() => server.stop())
  const origin = server.dashboard

  t.test('a country of the map leads to its page', { skip: without('chromium-headless-shell') }, async t => {
    const browser = await openBrowser(t)
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, bypassCSP: true })
    const seen = watch(page, origin)
    const audit = () => expectAccessible(t, page, page.url())
    await page.goto(`${origin}/coverage`, { waitUntil: 'networkidle' })
    await audit()
    const heading = () => page.locator('h1').boundingBox()
    const before = await heading()
    await page.keyboard.press('Tab')
    t.ok(await page.locator('.skip:focus').isVisible())
    t.same(await heading(), before, 'the skip link moves nothing: the next click would miss')
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
    t.match(text, /"zipcode": "\d{5}".*"city": "\w+.*"longitude": -\d/s, 'a request and its answer')
    t.notOk(await page.getByText('^(?:').isVisible(), 'the regular expression is folded away')
    await page.getByText('Regular expression').click()
    t.ok(await page.getByText('^(?:').isVisible())
    await audit()
    await page.getByText(/Querying all [\d,]+ codes that are here costs \$/).waitFor()
    await page.getByRole('link', { name: 'Try it' }).click()
    t.match(page.url(), /\/docs\?try=lookup&country=US&zipcode=\d{5}#lookup$/)
    t.same(seen, { foreign: [], problems: [] })
  })

  t.test('the list of countries is filtered', async t => {
    const rowsOf = async (query: string) => {
      const text = await (await fetch(`${origin}/coverage?${query}`)).text()
      const rows = text.split('<tbody>')[1]?.split('</tr>').slice(0, -1) ?? []
      return rows.map(row =>
        Array.from(row.matchAll(/<td[^>]*>(?:<span[^>]*>)?([^<]*)/g), ([, cell]) => cell),
      )
    }
    const full = await rowsOf('state=full')
    t.ok(full.length > 5 && full.every(row => row.includes('full')))
    const text = await (await fetch(`${origin}/coverage?state=full`)).text()
    t.match(text, `${full.length} countries`)
    t.notMatch(text, 'class="world"', 'the results come first')
  })

  t.test('a country is found by code, name and common name', async t => {
    const found = async (wanted: string) => {
      const text = await (await fetch(`${origin}/coverage?q=${encodeURIComponent(wanted)}`)).text()
      const [, list = ''] = text.split('<tbody>')
      return Array.from(list.matchAll(/href="\/coverage\/([A-Z]{2})"/g), ([, code]) => code)
    }
    for (const [code, ...names] of [
      ['GB', 'UK', 'gb', 'U.K.', 'united kingdom'],
      ['DE', 'Deutschland', 'germany', 'Niemcy'],
      ['GR', 'EL', 'Ελλάδα', 'hellas'],
      ['JP', '日本'],
      ['AE', 'uae', 'الإمارات'],
      ['NE', 'niger'],
      ['IN', 'india'],
    ])
      for (const name of names) t.same(await found(name), [code], name)
    t.ok((await found('united')).length > 2, 'a part of a name finds all that have it')
    t.same(await found('no such country'), [])
  })

  t.test('the map has a legend', async t => {
    const text = await (await fetch(`${origin}/coverage`)).text()
    t.match(
      text,
      /The stronger the colour, the fuller the data:.*fill-opacity="0\.45".*<span>partial<\/span>/s,
    )
  })

  t.test('only countries of ISO 3166-1 have a page', async t => {
    const textOf = async (path: string) => {
      const response = await fetch(`${origin}${path}`)
      return [response.status, await response.text()] as const
    }
    const lists = await Promise.all([1, 2, 3, 4, 5, 6].map(page => textOf(`/coverage?page=${page}`)))
    const links = lists.flatMap(([, list]) => [...list.matchAll(/href="\/coverage\/([A-Z]{2})"/g)])
    const codes = new Set(links.map(([, code]) => code))
    t.ok(codes.size >= 249, `${codes.size} countries`)
    for (const code of codes) t.equal((await textOf(`/coverage/${code}`))[0], 200, code)
    for (const path of ['/coverage/ZZ', '/coverage/USA']) t.equal((await textOf(path))[0], 404, path)
    t.match((await textOf('/coverage/AE'))[1], /This country has no codes/)
    for (const [code, whole, part] of [
      ['NL', 'NNNN AA', 'NNNN'],
      ['GB', 'AANN NAA', 'AANN'],
      ['CA', 'ANA NAN', 'ANA'],
    ]) {
      const text = new RegExp(
        `>${whole}</dt><dd>such as .*First parts, which are here</dt><dd>.*${part} such as `,
      )
      t.match((await textOf(`/coverage/${code}`))[1], text, 'customers write whole codes')
    }
    t.match((await textOf('/coverage/NG'))[1], /none is here/)
    t.match((await textOf('/coverage/gb'))[1], /<h1>United Kingdom<.*&quot;state&quot;: &quot;&quot;,/s)
    t.match((await textOf('/coverage/GB'))[1], /First parts of codes<.*all [\d,]+ first parts that are here/s)
  })
})
