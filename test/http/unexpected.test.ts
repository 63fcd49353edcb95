/** Faults that must never happen: a defect in an endpoint, a ledger that cannot be written. */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { openIndex } from '../../src/index/open-index.ts'
import { startApp } from '../support/app.ts'
import { post, send } from '../support/post.ts'
import { withSection } from '../support/sealed-file.ts'

t.test('an unexpected error is a 500 without a trace, and is reported', async t => {
  const app = await startApp(t)
  const { index } = app.service
  app.service.index = { ...index, codes: undefined as never }
  const answer = await post(app.baseUrl, '/api/lookup', { apiKey: app.key, zipcode: '90210' })
  t.equal(answer.status, 500)
  t.same(answer.json, { error: 'Internal server error' })
  t.equal(app.errors.length, 1)
  app.service.index = index
  const next = await post(app.baseUrl, '/api/lookup', { apiKey: app.key, zipcode: '90210' })
  t.match(next.json, { city: 'Beverly Hills' }, 'the next request is served')
})

t.test('a damaged rule is a 500 that is reported, and other countries are served', async t => {
  const app = await startApp(t)
  const path = join(dirname(app.service.index.path), 'damaged.postrie')
  writeFileSync(
    path,
    withSection(readFileSync(app.service.index.path), 'RULE', section => {
      section[section.lastIndexOf('padTo') + 5] = 0x7f
    }),
  )
  const sound = app.service.index
  const damaged = openIndex(path)
  app.service.index = damaged
  app.bulk.replaceIndex(damaged)
  const { key: apiKey } = app
  const records = (countryCode: string, count: number) =>
    Array.from({ length: count }, () => ({ postalCode: '80331', countryCode }))
  for (const [requestPath, body] of [
    ['/api/lookup', { zipcode: '90210' }],
    ['/api/city', { city: 'Springfield', ST: 'IL' }],
    ['/api/validate-bulk', { records: records('US', 1) }],
    ['/api/validate-bulk', { records: records('US', 1000) }],
  ] as const) {
    const answer = await post(app.baseUrl, requestPath, { apiKey, ...body })
    t.equal(answer.status, 500, requestPath)
    t.match(app.errors.pop(), { message: /the rules of US cannot be read: `padTo` is 127/ })
  }
  const other = await post(app.baseUrl, '/api/lookup', { apiKey, zipcode: '80331', country: 'DE' })
  t.equal(other.status, 200)
  const batch = await post(app.baseUrl, '/api/validate-bulk', { apiKey, records: records('DE', 900) })
  t.equal(batch.status, 200)
  app.service.index = sound
})

t.test('nothing is answered that cannot be charged', async t => {
  const app = await startApp(t)
  Object.defineProperty(app.service.meter, 'healthy', { value: false })
  for (const path of ['/api/lookup', '/api/validate-bulk']) {
    const body = { apiKey: app.key, zipcode: '90210', records: [{ postalCode: '90210', countryCode: 'US' }] }
    const answer = await post(app.baseUrl, path, body)
    t.equal(answer.status, 503, path)
    t.same(answer.json, { error: 'Service unavailable' })
  }
})

t.test('readiness says no, and why, when requests could not be answered', async t => {
  let isDraining = false
  const app = await startApp(t, undefined, { isDraining: () => isDraining })
  const ready = () => send(app.baseUrl, '/readyz', {})
  t.match(await ready(), { status: 200, json: { status: 'ok' } })
  isDraining = true
  t.match(await ready(), {
    status: 503,
    json: { status: 'unavailable', reasons: ['the server is stopping'] },
  })
  Object.defineProperty(app.service.meter, 'healthy', { value: false })
  const reasons = ['the server is stopping', 'the ledger cannot be written']
  t.same((await ready()).json, { status: 'unavailable', reasons }, 'all reasons are given')
  t.equal((await send(app.baseUrl, '/healthz', {})).status, 200, 'the process itself is alive')
})
