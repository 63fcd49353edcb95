/** Answers 404 cost a search and are free: their number is bounded by account and minute. */
import t from 'tap'
import { startApp } from '../support/app.ts'
import { post } from '../support/post.ts'

t.test('404 answers are free only up to a bound, then 429', async t => {
  const app = await startApp(t, undefined, {}, { freeAnswersMax: 5 })
  const ask = (zipcode: string) => post(app.baseUrl, '/api/lookup', { apiKey: app.key, zipcode })
  const answers = []
  // A new minute may begin in between, once.
  for (let i = 0; i < 12; i++) answers.push(await ask('00000'))
  const refused = answers.find(({ status }) => status === 429)
  t.ok(answers.slice(0, 5).every(({ status }) => status === 404))
  t.match(refused?.json, { error: 'Rate limit exceeded', retryAfter: Number })
  t.equal(refused?.headers.get('Retry-After'), String(refused?.json.retryAfter))
  t.ok(refused?.json.retryAfter >= 1 && refused?.json.retryAfter <= 60)
  t.equal(app.spentMicros(), 0)
})

t.test('what is found does not count', async t => {
  const app = await startApp(t, undefined, {}, { freeAnswersMax: 2 })
  for (let i = 0; i < 10; i++) {
    const { status } = await post(app.baseUrl, '/api/lookup', { apiKey: app.key, zipcode: '90210' })
    t.equal(status, 200)
  }
  await post(app.baseUrl, '/api/validate', { apiKey: app.key, zipcode: '00000' })
  t.equal(app.spentMicros(), 11 * 28, 'and an unknown code to validate is an answer')
})
