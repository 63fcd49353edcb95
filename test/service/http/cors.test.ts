import t, { type Test } from 'tap'
import { AnswerHeads } from '../../../src/service/http/answer-heads.ts'
import { startApp } from '../../support/app.ts'

const PAGE = 'https://app.example.com'
const ALLOW = 'access-control-allow-origin'

async function startWithOrigins(t: Test, ...allowed: string[]) {
  const { baseUrl, key } = await startApp(t, undefined, {
    observers: { heads: new AnswerHeads([], allowed) },
  })
  const ask = (origin: string | undefined, path = '/api/lookup', init: RequestInit = {}) =>
    fetch(`${baseUrl}${path}`, {
      method: 'POST',
      body: JSON.stringify({ apiKey: key, zipcode: '90210' }),
      ...init,
      headers: { ...init.headers, ...(origin !== undefined && { Origin: origin }) },
    })
  const preflight = (origin: string | undefined) =>
    ask(origin, '/api/lookup', {
      method: 'OPTIONS',
      body: null,
      headers: { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'x-api-key' },
    })
  return { ask, preflight }
}

t.test('a page of a listed origin may call the API', async t => {
  const { ask, preflight } = await startWithOrigins(t, 'https://other.example.com', PAGE)
  const asked = await preflight(PAGE)
  t.equal(asked.status, 200)
  t.equal(asked.headers.get(ALLOW), PAGE)
  t.equal(asked.headers.get('vary'), 'Origin')
  t.match(asked.headers.get('access-control-allow-headers'), /X-API-Key/)
  t.equal((await ask(PAGE, '/openapi.json', { method: 'OPTIONS', body: null })).status, 200)
  t.equal((await ask(PAGE, '/api/nowhere', { method: 'OPTIONS', body: null })).status, 404)
  for (const [path, init, status] of [
    ['/api/lookup', {}, 200],
    ['/api/lookup', { body: '{}' }, 400],
    ['/api/lookup', { body: '{"apiKey":"x","zipcode":"1"}' }, 401],
    ['/api/lookup', { body: 'x'.repeat(20_000) }, 413],
    ['/api/city', {}, 400],
    ['/nowhere', {}, 404],
  ] as const) {
    const { headers, status: found } = await ask(PAGE, path, init)
    t.equal(found, status)
    t.equal(headers.get(ALLOW), PAGE, `${path} ${status}`)
  }
})

t.test('other pages may not call the API, and programs may', async t => {
  const { ask, preflight } = await startWithOrigins(t, PAGE)
  for (const origin of [undefined, 'https://app.example.com.evil.example', 'null', `${PAGE}:8443`, '*']) {
    t.equal((await preflight(origin)).status, 405)
    const { status, headers } = await ask(origin)
    t.equal(status, 200)
    t.equal(headers.get(ALLOW), null, `${origin}`)
    t.equal(headers.get('vary'), origin === undefined ? null : 'Origin', `${origin}`)
  }
})

t.test('with `*`, every page may call the API', async t => {
  const { ask } = await startWithOrigins(t, '*')
  t.equal((await ask('https://anywhere.example')).headers.get(ALLOW), '*')
  t.equal((await ask(undefined)).headers.get(ALLOW), null)
})

t.test('by default, no page may call the API', async t => {
  const { ask, preflight } = await startWithOrigins(t)
  t.equal((await ask(PAGE)).headers.get(ALLOW), null)
  t.equal((await preflight(PAGE)).status, 405)
  const { status, headers } = await ask(PAGE, '/openapi.json', { method: 'OPTIONS', body: null })
  t.same([status, headers.get('allow')], [405, 'GET, HEAD'])
})
