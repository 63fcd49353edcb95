/** The library in a browser: the same answers from a buffer, without anything of Node.js. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { sampleCodes } from '../../bench/input/samples.ts'
import { openIndex as openMapped } from '../../src/index/open-index.ts'
import { openIndex } from '../../src/library/main.ts'
import { openBrowser, withoutBrowser } from '../support/chromium.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { writeIndex } from '../support/fixture-index.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.html': 'text/html' }
/** What a bundler does, or an import map where there is none. */
const PAGE = `<!doctype html><script type="importmap">{"imports":{
  "postrie":"/dist/src/library/browser.js","msgpackr":"/node_modules/msgpackr/index.js"}}</script>
  <script type="module">globalThis.library = await import('postrie')</script>`

/** Modules that `file` of `dist` leads to, and the packages that these import. */
function importsOf(file: string): { modules: Set<string>; packages: Set<string> } {
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
  visit(file)
  return { modules, packages }
}

t.test('the path from the browser entry imports nothing of Node.js', async t => {
  const { modules, packages } = importsOf(join(ROOT, 'dist/src/library/browser.js'))
  t.ok(modules.size > 20, 'the modules are found')
  t.same([...packages], ['msgpackr'])
  for (const module of modules) t.notMatch(readFileSync(module, 'utf8'), /\bBuffer\.\w/, module)
})

t.test('a browser answers as Node.js does', { skip: withoutBrowser }, async t => {
  const files: Record<string, string> = { '/default': DEFAULT_INDEX, '/fixture': writeIndex(t.testdir()) }
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    response.setHeader('Content-Type', TYPES[extname(path)] ?? 'text/html')
    if (path === '/') response.end(PAGE)
    else if (path === '/favicon.ico') response.writeHead(204).end()
    else response.end(readFileSync(files[path] ?? join(ROOT, normalize(path))))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const browser = await openBrowser(t)
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', error => problems.push(error.message))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.waitForFunction('globalThis.library !== undefined')

  const asked = [
    ...sampleCodes(openMapped(DEFAULT_INDEX), 400, 3).map(({ text, country }) => [text, country]),
    ['ｓｗ１ａ　１ａａ', 'GB'],
    ['75001 CEDEX 08', 'FR'],
    ['no', 'US'],
  ]
  for (const [name, file] of Object.entries(files)) {
    const seen = await page.evaluate(askAll, { name, asked })
    const codes = openIndex(file)
    const expected = {
      codes: asked.map(([code, country]) => [
        codes.lookup(code, country) ?? null,
        codes.metadata(code, country) ?? null,
        codes.check(code, country),
      ]),
      city: codes.city('Munchen', { country: 'DE' }),
      about: codes.about(),
      countries: codes.countries(),
      refusal: 'openIndex got string, a Uint8Array or an ArrayBuffer expected',
    }
    t.same(seen, JSON.parse(JSON.stringify(expected)), name)
  }
  t.same(problems, [])
})

/** Runs in the page. */
async function askAll({ name, asked }: { name: string; asked: string[][] }) {
  const { library } = globalThis as unknown as { library: typeof import('../../src/library/browser.ts') }
  const codes = library.openIndex(await (await fetch(name)).arrayBuffer())
  let refusal = ''
  try {
    library.openIndex('index.postrie' as unknown as ArrayBuffer)
  } catch (error) {
    refusal = (error as Error).message.split(':')[0]
  }
  return {
    codes: asked.map(([code, country]) => [
      codes.lookup(code, country) ?? null,
      codes.metadata(code, country) ?? null,
      codes.check(code, country),
    ]),
    city: codes.city('Munchen', { country: 'DE' }),
    about: codes.about(),
    countries: codes.countries(),
    refusal,
  }
}
