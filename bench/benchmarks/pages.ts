/** Measures the first paint of the dashboard's pages in a browser. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { type Benchmark, measuresOf, type Options, type Result } from '../benchmark.ts'
import { worldFile } from '../input/worlds.ts'
import { inTurn, spreadOf } from '../measure.ts'
import { startService } from '../service.ts'

const MS = 'ms'
const BARE = 'a page of one line'
const PATHS = ['/', '/keys', '/usage', '/requests', '/balance', '/docs', '/coverage', '/account']

// A text, because it runs in the page.
const FIRST_PAINT = `new Promise(resolve => new PerformanceObserver(list => {
  for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime)
}).observe({ type: 'paint', buffered: true }))`

export const pages: Benchmark = {
  name: 'pages',
  text: "first paint of the dashboard's pages in a browser, against a page of one line",
  needsPackages: false,
  run: runPages,
}

async function runPages({ quick, log }: Options): Promise<Result> {
  const ends: (() => unknown)[] = []
  try {
    const service = await startService({ indexFile: worldFile('us') })
    ends.push(service.end)
    const bare = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>bare</title><p>one line')
    }).listen(0, '127.0.0.1')
    ends.push(() => bare.close())
    await once(bare, 'listening')
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox'],
    })
    ends.push(() => browser.close())
    const page = await browser.newPage()
    const { address } = (await service.operate('token', { email: 'bench0@localhost' })) as { address: string }
    const { origin } = new URL(address)
    await page.goto(address)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${origin}/`)
    const painted = (url: string) => async () => {
      await page.goto(url)
      return { [MS]: await page.evaluate<number>(FIRST_PAINT) }
    }
    log(`${PATHS.length} pages in turn`)
    const contenders = Object.fromEntries(PATHS.map(path => [path, painted(origin + path)]))
    contenders[BARE] = painted(`http://127.0.0.1:${(bare.address() as AddressInfo).port}/`)
    const taken = await inTurn(contenders, quick ? 1 : 15)
    return {
      measures: measuresOf('first contentful paint', taken),
      findings: PATHS.map(path => ({
        text: `${path}: ms more than a page of one line`,
        value: spreadOf(taken[path][MS].rounds.map((ms, round) => ms - taken[BARE][MS].rounds[round])).median,
        wanted: { atMost: 500 },
      })),
      notes: ['Styles and scripts are in the cache of the browser after the first round.'],
    }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}
