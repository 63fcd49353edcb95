/** What must never happen: a defect in an endpoint, a ledger that cannot be written. */
import t from 'tap'
import { startApp } from '../support/app.ts'
import { post } from '../support/post.ts'

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

t.test('nothing is answered that cannot be charged', async t => {
  const app = await startApp(t)
  Object.assign(app.service.meter, { healthy: false })
  for (const path of ['/api/lookup', '/api/validate-bulk']) {
    const body = { apiKey: app.key, zipcode: '90210', records: [{ postalCode: '90210', countryCode: 'US' }] }
    const answer = await post(app.baseUrl, path, body)
    t.equal(answer.status, 503, path)
    t.same(answer.json, { error: 'Service unavailable' })
  }
})
