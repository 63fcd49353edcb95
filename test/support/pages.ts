import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { entranceOf } from './entrances.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
// Runs in the page as text, because this program lacks the types of a browser.
const RUN_AXE = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ impact, id, nodes }) => impact + ' ' + id + ': ' + nodes.map(node => node.html).join(' ')))`

export async function signIn(page: Page, origin: string, email?: string): Promise<void> {
  await page.goto(await entranceOf(origin, email))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(({ pathname }) => pathname !== '/sign-in')
}

/** Serves axe, so that the browser keeps it compiled: sending it to each page takes longer than its checks. */
const server = createServer((_, answer) => {
  answer.writeHead(200, { 'Content-Type': 'text/javascript', 'Cache-Control': 'max-age=3600' }).end(axe)
}).unref()

/** Requires a page with `bypassCSP`. */
export async function expectAccessible(t: Test, page: Page, name: string): Promise<void> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
  if (!(await page.evaluate<boolean>('"axe" in window')))
    await page.addScriptTag({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/axe.js` })
  const where = `${name}, ${page.viewportSize()?.width}`
  t.same(await page.evaluate<string[]>(RUN_AXE), [], `axe on ${where}`)
  t.ok(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), `${where} fits`)
}
