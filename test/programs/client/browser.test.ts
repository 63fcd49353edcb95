import type { IncomingMessage, ServerResponse } from 'node:http'
import t from 'tap'
import { importInPage, importsOf } from '../../support/browser-modules.ts'
import { without } from '../../support/programs.ts'

t.test('the client imports no package and nothing of Node.js', async t => {
  const { modules, packages } = importsOf('src/programs/client/client.js')
  t.ok(modules.size >= 5, 'the modules are found')
  t.same([...packages], [])
})

t.test(
  'the client works in a browser as in Node.js',
  { skip: without('chromium-headless-shell') },
  async t => {
    let requests = 0
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      let body = ''
      for await (const piece of request) body += piece
      const { records, zipcode } = JSON.parse(body)
      requests++
      if (requests === 1)
        response.writeHead(503, { 'Retry-After': '0' }).end('{"error":"Service unavailable"}')
      else if (zipcode === 'slow') response.writeHead(200).write('{')
      else if (zipcode === '00000') response.writeHead(404).end('{"error":"ZIP code not found"}')
      else if (records === undefined) response.end('{"city":"Beverly Hills","balance":1}')
      else response.end(JSON.stringify({ results: records, balance: 1 }))
    }
    const imports = { 'postrie/client': '/dist/src/programs/client/client.js' }
    const { page, problems } = await importInPage(t, 'postrie/client', imports, answer)
    const seen = await page.evaluate(async baseUrl => {
      const { imported } = globalThis as unknown as {
        imported: typeof import('../../../src/programs/client/client.ts')
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
  },
)
