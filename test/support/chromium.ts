import { type Browser, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { pathOf } from './programs.ts'

/** Starts the browser in few processes, which saves a sixth of their time. The caller closes it. @throws Error when there is none */
export function launchBrowser(): Promise<Browser> {
  const args = (
    '--no-sandbox --disable-gpu --disable-quic --no-first-run --in-process-gpu --no-zygote ' +
    '--renderer-process-limit=1 --disable-software-rasterizer ' +
    '--disable-background-networking --disable-component-update --disable-sync'
  ).split(' ')
  return chromium.launch({ executablePath: pathOf('chromium-headless-shell'), args })
}

export async function openBrowser(t: Test): Promise<Browser> {
  const browser = await launchBrowser()
  t.teardown(() => browser.close())
  return browser
}

/** Records requests to hosts other than `origin`, and errors of the page. */
export function watch(page: Page, origin: string) {
  const seen = { foreign: [] as string[], problems: [] as string[] }
  page.on('request', request => {
    const { origin: host, pathname } = new URL(request.url())
    // The tests serve axe themselves.
    if (host !== origin && pathname !== '/axe.js') seen.foreign.push(request.url())
  })
  page.on('pageerror', error => seen.problems.push(error.message))
  page.on('console', message => {
    // The console reports the 400 of a refused form as an error of the page.
    const refused = message.text().includes('status of 400')
    if (message.type() === 'error' && !refused) seen.problems.push(message.text())
  })
  return seen
}
