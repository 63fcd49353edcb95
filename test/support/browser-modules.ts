import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { openBrowser } from './chromium.ts'
import { listenUntilEnd } from './listening.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript' }

export interface ModulePage {
  page: Page
  problems: string[]
}

/** Returns the modules below `file` of `dist`, and the packages that these modules import. */
export function importsOf(file: string): { modules: Set<string>; packages: Set<string> } {
  const modules = new Set<string>()
  const packages = new Set<string>()
  const visit = (path: string) => {
    if (modules.has(path)) return
    modules.add(path)
    const text = readFileSync(path, 'utf8')
    for (const [, name] of text.matchAll(/^(?:import|export)\b[^;'"]*?from '([^']+)'/gm)) {
      if (name.startsWith('.')) visit(join(path, '..', name))
      else packages.add(name)
    }
    for (const [, name] of text.matchAll(/import\('([^']+)'\)/g)) packages.add(`dynamic ${name}`)
  }
  visit(join(ROOT, 'dist', file))
  return { modules, packages }
}

/**
 * Opens a page that has imported the module `specifier` as `globalThis.imported`.
 * @param imports an import map, in place of a bundler
 * @param answer answers paths that begin with `/api/`
 * @param files paths that are served from other files
 */
export async function importInPage(
  t: Test,
  specifier: string,
  imports: Readonly<Record<string, string>>,
  answer: RequestListener,
  files: Readonly<Record<string, string>> = {},
): Promise<ModulePage> {
  const html = `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>
    <script type="module">globalThis.imported = await import(${JSON.stringify(specifier)})</script>`
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    if (path.startsWith('/api/')) return answer(request, response)
    if (path === '/favicon.ico') return response.writeHead(204).end()
    response.setHeader('Content-Type', TYPES[extname(path)] ?? 'text/html')
    response.end(path === '/' ? html : readFileSync(files[path] ?? join(ROOT, normalize(path))))
  })
  const port = await listenUntilEnd(t, server)
  const browser = await openBrowser(t)
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  await page.goto(`http://127.0.0.1:${port}/`)
  await page.waitForFunction('globalThis.imported !== undefined')
  return { page, problems }
}
