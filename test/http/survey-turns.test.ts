/** Large batches are surveyed in turns, so that nobody's batch holds up the requests of others. */
import { setImmediate } from 'node:timers/promises'
import t from 'tap'
import { surveyBatch } from '../../src/api/request/batch-survey.ts'
import { SurveyTurns } from '../../src/http/survey-turns.ts'
import { BULK_BODY_BYTES_MAX, SURVEY_PIECE_BYTES, SURVEYS_WAITING_MAX } from '../../src/limits.ts'
import { startApp } from '../support/app.ts'

const dense = (key: string) =>
  Buffer.from(
    `{"records":[${'0,'.repeat(BULK_BODY_BYTES_MAX / 2 - 2200)}0],"apiKey":"${key}","x":"${'y'.repeat(4200)}"}`,
  )
const never = () => false

t.test('a dense batch held the thread until all of it was surveyed', async t => {
  const turns = new SurveyTurns()
  const body = dense('nobody')
  let isDone = false
  const survey = turns.survey(body, false, never).finally(() => {
    isDone = true
  })
  let others = 0
  while (!isDone) {
    await setImmediate()
    others++
  }
  t.same(await survey, surveyBatch(body))
  t.ok(others >= body.length / SURVEY_PIECE_BYTES, `the loop turned ${others} times meanwhile`)
})

t.test('customers go first, and whoever has gone away is left out', async t => {
  const turns = new SurveyTurns()
  const ended: string[] = []
  const survey = (name: string, isCustomer: boolean, isAborted = never) =>
    turns
      .survey(dense(name), isCustomer, isAborted)
      .then(found => ended.push(found?.apiKey ? name : `${name} unread`))
  await Promise.all([
    survey('stranger', false),
    survey('aborted', false, () => true),
    survey('customer', true),
  ])
  t.same(ended, ['customer', 'stranger', 'aborted unread'])
})

t.test('so many may wait', async t => {
  const turns = new SurveyTurns()
  const surveys = Array.from({ length: SURVEYS_WAITING_MAX }, () =>
    turns.survey(Buffer.from('{}'), false, never),
  )
  t.equal(turns.isFull(false), true)
  t.equal(turns.isFull(true), false)
  await Promise.all(surveys)
  t.equal(turns.isFull(false), false)
})

t.test('over sockets: wrong and right keys in dense batches, and a client that goes away', async t => {
  const app = await startApp(t, undefined, { keyFailuresMax: 10_000 })
  const post = async (body: Buffer, signal?: AbortSignal) => {
    const response = await fetch(`${app.baseUrl}/api/validate-bulk`, {
      method: 'POST',
      body: new Uint8Array(body),
      signal,
    })
    return [response.status, ((await response.json()) as { error: string }).error]
  }
  const invalid = [401, 'Invalid API key']
  const tooMany = [400, 'records array exceeds maximum of 1000 per request']
  const gone = new AbortController()
  const aborted = t.rejects(post(dense(app.key), gone.signal))
  const all = Promise.all([post(dense('nobody')), post(dense(app.key)), post(dense('nobody'))])
  gone.abort()
  t.same(await all, [invalid, tooMany, invalid])
  await aborted
  t.equal(app.spentMicros(), 0)
  t.same(app.errors, [])
})

t.test('more strangers than may wait are asked to come again', async t => {
  const app = await startApp(t, undefined, { keyFailuresMax: 10_000 })
  const statuses = await Promise.all(
    Array.from({ length: 4 * SURVEYS_WAITING_MAX }, async () => {
      const response = await fetch(`${app.baseUrl}/api/validate-bulk`, {
        method: 'POST',
        body: new Uint8Array(dense('nobody')),
      })
      await response.arrayBuffer()
      return [response.status, response.headers.get('Retry-After')].join()
    }),
  )
  for (const status of statuses) t.ok(status === '401,' || status === '503,1', status)
})
