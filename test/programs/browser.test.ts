/** Library and client in a browser, which has no Node.js and only the packages of an import map. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { sampleCodes } from '../../bench/input/samples.ts'
import { openIndex, type PostalCodes } from '../../src/postal/library/node.ts'
import { openBrowser } from '../support/chromium.ts'
import { DEFAULT_INDEX } from '../support/default-index.ts'
import { writeIndex } from '../support/fixture-index.ts'
import { listenUntilEnd } from '../support/listening.ts'
import { without } from '../support/programs.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const TYPES: Readonly<Record<string, string>> = { '.js': 'text/javascript' }
const skip = without('chromium-headless-shell')

/** An import map replaces a bundler. */
const IMPORTS = {
  postrie: '/dist/src/postal/library/browser.js',
  'msgpackr/unpack': '/node_modules/msgpackr/unpack.js',
}

/**
 * Opens a page that has imported the module `specifier` as `globalThis.imported`.
 * @param imports an import map, in place of a bundler
 * @param answer answers paths that begin with `/api/`
 * @param files paths that are served from other files
 */
async function importInPage(
  t: Test,
  specifier: string,
  imports: Readonly<Record<string, string>>,
  answer: RequestListener,
  files: Readonly<Record<string, string>> = {},
) {
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

t.test('the library answers in a browser as in Node.js', { skip }, async t => {
  const files: Record<string, string> = { '/default': DEFAULT_INDEX, '/fixture': writeIndex(t.testdir()) }
  const { page, problems } = await importInPage(t, 'postrie', IMPORTS, () => {}, files)
  const asked = [
    ...sampleCodes(openIndex(DEFAULT_INDEX), 400, 3).map(({ text, country }) => [text, country]),
    ['ｓｗ１ａ　１ａａ', 'GB'],
    ['75001 CEDEX 08', 'FR'],
    ['no', 'US'],
  ]
  for (const [name, file] of Object.entries(files)) {
    const seen = await page.evaluate(`(async () => {
      const codes = globalThis.imported.openIndex(await (await fetch('${name}')).arrayBuffer())
      return (${answersOf})(codes, ${JSON.stringify(asked)})
    })()`)
    t.same(seen, JSON.parse(JSON.stringify(answersOf(openIndex(file), asked))), name)
  }
  const refused = page.evaluate("globalThis.imported.openIndex('index.postrie')")
  await t.rejects(refused, /openIndex got string, a Uint8Array or an ArrayBuffer expected/)
  t.same(problems, [])
})

/** Runs here and, as text, in the page. */
function answersOf(codes: PostalCodes, asked: readonly (readonly string[])[]) {
  return {
    codes: asked.map(([code, country]) => [
      codes.lookup(code, country) ?? null,
      codes.metadata(code, country) ?? null,
      codes.check(code, country),
    ]),
    city: codes.city('Munchen', { country: 'DE' }),
    nearest: codes.nearest({ latitude: 48.14, longitude: 11.58 }, { limit: 3 }),
    around: codes.nearest({ zipcode: '90210' }, { radius: 10 }),
    suggested: codes.autocomplete('st. l'),
    format: codes.format('42120', 'PL'),
    about: codes.about(),
    countries: codes.countries(),
  }
}

t.test('the client works in a browser as in Node.js', { skip }, async t => {
  let requests = 0
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let body = ''
    for await (const piece of request) body += piece
    const { records, zipcode } = JSON.parse(body)
    requests++
    if (requests === 1) response.writeHead(503, { 'Retry-After': '0' }).end('{"error":"Service unavailable"}')
    else if (zipcode === 'slow') response.writeHead(200).write('{')
    else if (zipcode === '00000') response.writeHead(404).end('{"error":"ZIP code not found"}')
    else if (records === undefined) response.end('{"city":"Beverly Hills","balance":1}')
    else response.end(JSON.stringify({ results: records, balance: 1 }))
  }
  const imports = { 'postrie/client': '/dist/src/programs/client/client.js' }
  const { page, problems } = await importInPage(t, 'postrie/client', imports, answer)
  const seen = await page.evaluate(async baseUrl => {
    const { imported } = globalThis as unknown as {
      imported: typeof import('../../src/programs/client/client.ts')
    }
    const { PostrieClient, PostrieError } = imported
    const client = new PostrieClient({ baseUrl, apiKey: 'key', timeoutMs: 2000 })
    const hasty = new PostrieClient({ baseUrl, apiKey: 'key', timeoutMs: 50 })
    const records = Array.from({ length: 2500 }, (_, i) => ({ postalCode: String(i), countryCode: 'US' }))
    const results = await client.validateAll(records)
    const late = await hasty.lookup('slow').catch((error: unknown) => error)
    return {
      city: (await client.lookup('90210'))?.city,
      absent: (await client.lookup('00000')) === undefined,
      inOrder: results.every(({ postalCode }, i) => postalCode === String(i)),
      late: late instanceof PostrieError ? late.code : String(late),
    }
  }, new URL(page.url()).origin)
  t.same(seen, { city: 'Beverly Hills', absent: true, inOrder: true, late: 'timeout' })
  t.equal(requests, 7)
  t.same(problems, [])
})
