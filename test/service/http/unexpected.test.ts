import t from 'tap'
import { Accounts, openContext } from '../../../src/billing/accounts/accounts.ts'
import type { LiveState } from '../../../src/billing/accounts/live/live-state.ts'
import { ERRORS } from '../../../src/service/errors.ts'
import { startApp } from '../../support/app.ts'
import { post, send } from '../../support/post.ts'

t.test('an unexpected error is a 500 without a stack trace and is reported', async t => {
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

t.test('a request that cannot be charged is refused with 503', async t => {
  const app = await startApp(t)
  Object.defineProperty(app.service.charging, 'healthy', { value: false })
  for (const path of ['/api/lookup', '/api/validate-bulk']) {
    const body = { apiKey: app.key, zipcode: '90210', records: [{ postalCode: '90210', countryCode: 'US' }] }
    const answer = await post(app.baseUrl, path, body)
    t.equal(answer.status, 503, path)
    t.same(answer.json, { error: 'Service unavailable' })
  }
})

t.test('readiness names the reason when requests cannot be answered', async t => {
  let isDraining = false
  const app = await startApp(t, undefined, { isDraining: () => isDraining })
  const ready = () => send(app.baseUrl, '/readyz', {})
  t.match(await ready(), { status: 200, json: { status: 'ok' } })
  isDraining = true
  t.match(await ready(), {
    status: 503,
    json: { status: 'unavailable', reasons: ['the server is stopping'] },
  })
  Object.defineProperty(app.service.charging, 'healthy', { value: false })
  const reasons = ['the server is stopping', 'the ledger cannot be written']
  t.same((await ready()).json, { status: 'unavailable', reasons }, 'all reasons are given')
  t.equal((await send(app.baseUrl, '/healthz', {})).status, 200, 'the process itself is alive')
})

t.test('a disk that stalls during a charge is not reported as an empty balance', async t => {
  let live: LiveState | undefined
  const { baseUrl, key, accounts } = await startApp(t, undefined, {}, {}, async options => {
    const context = await openContext(options)
    live = context.live
    return new Accounts(context)
  })
  const { charging } = accounts
  const charge = charging.charge.bind(charging)
  charging.charge = (...charged) => {
    live?.setStalled(true)
    const isPaid = charge(...charged)
    live?.setStalled(false)
    return isPaid
  }
  const { status, json } = await post(baseUrl, '/api/lookup', { apiKey: key, zipcode: '90210' })
  t.equal(status, 503)
  t.match(json, { error: ERRORS.UNAVAILABLE[1] })
})
