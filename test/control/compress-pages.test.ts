/** Pages are compressed for those who accept it, whatever their length, and files go on being streamed. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { Hono } from 'hono'
import t, { type Test } from 'tap'
import { compressed } from '../../src/control/shell/compress-pages.ts'
import { listen } from '../../src/control/shell/listen.ts'

const LENGTHS = { short: 100, page: 5000, long: 500_000 } as const
const textOf = (length: number) => '<p>é</p>'.repeat(length / 8)

async function start(t: Test) {
  const app = new Hono()
  app.use(...compressed())
  for (const [name, length] of Object.entries(LENGTHS)) {
    app.get(`/${name}`, c => c.html(textOf(length)))
    app.get(`/${name}.json`, c => c.json({ text: textOf(length) }, 400, { 'X-More': 'more' }))
    app.get(`/${name}.csv`, c => c.body(textOf(length), 200, { 'Content-Type': 'text/csv' }))
  }
  app.get('/moved', c => c.redirect('/page', 303))
  const { port, close } = await listen(app, { host: '127.0.0.1', port: 0 })
  t.teardown(close)
  return async (path: string, accepted: string | undefined, method = 'GET') => {
    const headers = accepted === undefined ? {} : { 'Accept-Encoding': accepted }
    const asked = request({ port, path, method, headers, agent: false }).end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    return { ...answer, status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) }
  }
}

t.test('a page is compressed where that is accepted and gains something', async t => {
  const ask = await start(t)
  for (const [name, length] of Object.entries(LENGTHS)) {
    for (const accepted of ['gzip', 'br;q=1.0, GZIP;q=0.8, *;q=0.1', 'deflate,gzip', 'gzip;q=0.001']) {
      const { headers, bytes } = await ask(`/${name}`, accepted)
      const isCompressed = length > 1024
      t.equal(headers['content-encoding'], isCompressed ? 'gzip' : undefined, `${name}: ${accepted}`)
      t.equal(headers['content-length'], String(bytes.length), 'its length is known')
      t.equal((isCompressed ? gunzipSync(bytes) : bytes).toString(), textOf(length))
      t.equal(headers.vary, 'Accept-Encoding')
      t.equal(headers['content-type'], 'text/html; charset=UTF-8')
    }
    for (const accepted of [
      undefined,
      '',
      'identity',
      'gzip;q=0',
      'gzip ; q=0.0, br',
      'notgzip',
      'gzipped',
    ]) {
      const { headers, bytes } = await ask(`/${name}`, accepted)
      t.equal(headers['content-encoding'], undefined, `${name}: ${accepted}`)
      t.equal(bytes.toString(), textOf(length))
      t.equal(headers.vary, 'Accept-Encoding')
    }
  }
})

t.test('figures keep their status and headers, files and redirects are left to others', async t => {
  const ask = await start(t)
  const { status, headers, bytes } = await ask('/page.json', 'gzip')
  t.match({ status, headers }, { status: 400, headers: { 'x-more': 'more', 'content-encoding': 'gzip' } })
  t.same(JSON.parse(gunzipSync(bytes).toString()), { text: textOf(LENGTHS.page) })
  const file = await ask('/page.csv', 'gzip')
  t.equal(file.headers['content-encoding'], 'gzip')
  t.equal(gunzipSync(file.bytes).toString(), textOf(LENGTHS.page))
  t.match(await ask('/moved', 'gzip'), { status: 303, headers: { location: '/page' } })
  const head = await ask('/page', 'gzip', 'HEAD')
  t.equal(head.bytes.length, 0)
  t.equal(head.status, 200)
})
