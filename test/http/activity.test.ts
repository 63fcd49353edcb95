/** Notes of requests: bounded in a batch, in an account, and in all; codes only where an account wants them. */
import t from 'tap'
import { ApiRequest } from '../../src/api/service.ts'
import { ActivityLog } from '../../src/http/activity/activity-log.ts'
import {
  type ActivityBatch,
  ActivityWriter,
  errorName,
  failedKeyName,
  type NotedRequest,
} from '../../src/http/activity/activity-writer.ts'
import { endpointAt } from '../../src/http/labels.ts'
import {
  ACTIVITY_BATCH_REQUESTS_PER_ACCOUNT_MAX,
  ERROR_HOURS,
  LOGGED_REQUEST_BYTES,
  REQUESTS_SHOWN_MAX,
} from '../../src/limits.ts'
import { HOUR_MS } from '../../src/platform/time.ts'
import { startApp } from '../support/app.ts'

const requestOf = (account: number, timeMs: number): NotedRequest => ({
  account,
  timeMs,
  endpoint: 'lookup',
  country: 'US',
  status: 200,
  error: null,
  durationMicros: 5,
  key: 1,
  queries: 1,
  code: '90210',
})
const batchOf = (requests: NotedRequest[], counts: [string, number][] = []): ActivityBatch => ({
  requests,
  counts: new Map(counts),
})

t.test('the newest requests of an account are shown, the newest first', async t => {
  const log = new ActivityLog(1024 * 1024)
  for (let i = 0; i < 3 * REQUESTS_SHOWN_MAX; i += 10)
    log.add(batchOf(Array.from({ length: 10 }, (_, j) => requestOf(1, i + j))))
  const shown = log.requests(1).map(({ timeMs }) => timeMs)
  t.same(
    shown,
    Array.from({ length: REQUESTS_SHOWN_MAX }, (_, i) => 3 * REQUESTS_SHOWN_MAX - 1 - i),
  )
  t.same(log.requests(2), [])
})

t.test('beyond the bound, the account that has asked longest ago is forgotten', async t => {
  const log = new ActivityLog(10 * LOGGED_REQUEST_BYTES)
  for (let account = 0; account < 5; account++)
    log.add(batchOf([requestOf(account, 1), requestOf(account, 2), requestOf(account, 3)]))
  t.same(
    [0, 1, 2, 3, 4].map(account => log.requests(account).length),
    [0, 0, 3, 3, 3],
  )
})

t.test('codes are kept only for accounts that want it, and only as long', async t => {
  const log = new ActivityLog(1024 * 1024)
  const nowMs = Date.now()
  log.keepCodes(2, nowMs + HOUR_MS)
  log.add(batchOf([requestOf(1, nowMs), requestOf(2, nowMs), requestOf(2, nowMs + 2 * HOUR_MS)]))
  t.same(
    log.requests(1).map(({ code }) => code),
    [null],
  )
  t.same(
    log.requests(2).map(({ code }) => code),
    [null, '90210'],
  )
  log.keepCodes(2, 0)
  t.equal(log.codesKeptUntilMs(2), 0)
})

t.test('errors add up by hour', async t => {
  const log = new ActivityLog(0)
  const nowMs = Date.now()
  const hour = Math.floor(nowMs / HOUR_MS)
  for (let i = 0; i < 2; i++)
    log.add(
      batchOf(
        [],
        [
          [errorName(hour, 7, 404), 3],
          [errorName(hour - 1, 7, 429), 1],
          [failedKeyName(hour, 'pk_live_abcd'), 2],
        ],
      ),
    )
  const errors = log.errors(7, ['pk_live_abcd', 'pk_live_abcd', 'pk_live_wxyz'], nowMs)
  t.equal(errors.length, ERROR_HOURS)
  t.match(errors[ERROR_HOURS - 1], { startMs: hour * HOUR_MS, 401: 4, 404: 6, 429: 0 })
  t.match(errors[ERROR_HOURS - 2], { 404: 0, 429: 2 })
})

t.test('a batch has so many requests of one account, and all of its errors', async t => {
  const { service, key } = await startApp(t)
  const request = new ApiRequest(service)
  const batches: ActivityBatch[] = []
  const writer = new ActivityWriter(true, batch => batches.push(batch))
  const bytes = Buffer.from(key)
  request.begin(performance.now())
  request.key = service.meter.authenticate(bytes, 0, bytes.length)
  request.status = 404
  request.endedMs = performance.now()
  const count = 2 * ACTIVITY_BATCH_REQUESTS_PER_ACCOUNT_MAX
  for (let i = 0; i < count; i++) writer.answered(request, endpointAt('/api/countries'))
  writer.flush()
  const [{ requests, counts }] = batches
  t.equal(requests.length, ACTIVITY_BATCH_REQUESTS_PER_ACCOUNT_MAX)
  t.match(requests[0], { endpoint: 'countries', status: 404, country: '', code: null })
  t.same([...counts.values()], [count])
})
