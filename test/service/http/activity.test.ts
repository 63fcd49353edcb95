import t from 'tap'
import { ActivityLog, LOGGED_REQUEST_BYTES } from '../../../src/service/http/activity/activity-log.ts'
import type { NotedRequest } from '../../../src/service/http/activity/activity-writer.ts'

const requestOf = (account: number, timeMs: number, status = 200): NotedRequest => ({
  account,
  timeMs,
  endpoint: 'lookup',
  country: 'US',
  status,
  error: null,
  bound: null,
  durationMicros: 5,
  key: 1,
  client: '203.0.113.9',
  network: '203.0.113.9',
  requestId: null,
  queries: 1,
  code: '90210',
})
t.test('beyond the memory limit, the account with the oldest request is forgotten', async t => {
  const log = new ActivityLog(10 * LOGGED_REQUEST_BYTES)
  for (let account = 0; account < 5; account++)
    log.add({ requests: [1, 2, 3].map(timeMs => requestOf(account, timeMs)), counts: [] })
  t.same(
    [0, 1, 2, 3, 4].map(account => log.requests(account).length),
    [0, 0, 3, 3, 3],
  )
})

t.test('answered requests do not push out the refused ones', async t => {
  const log = new ActivityLog(1024 * 1024)
  const answered = Array.from({ length: 3000 }, (_, n) => requestOf(1, n + 2))
  log.add({ requests: [requestOf(1, 1, 404), ...answered], counts: [] })
  const requests = log.requests(1)
  t.equal(requests.length, 1001)
  t.match(requests.at(-1), { status: 404, timeMs: 1 })
})

t.test('unknown keys are counted by their beginnings, which may have any characters, and in all', async t => {
  const log = new ActivityLog(1024)
  const nowMs = Date.now()
  const hour = Math.floor(nowMs / 3_600_000)
  const counts = [
    { hour, status: 401, who: 'YOUR API KEY', errors: 1 },
    { hour, status: 401, who: 'all', errors: 2 },
    { hour, status: 404, who: 7, errors: 3 },
  ]
  log.add({ requests: [], counts })
  t.match(log.errors(null, null, nowMs).at(-1), { 401: 3, 404: 3 })
  t.match(log.errors(7, ['YOUR API KEY'], nowMs).at(-1), { 401: 1, 404: 3 })
  t.same(log.whoHadErrors(nowMs), new Set(['YOUR API KEY', null, 'all', 7]))
})

t.test('after a restart, a slot that another customer has shows nothing of the former one', async t => {
  const nowMs = Date.now()
  const former = new ActivityLog(1024 * 1024)
  const counts = [{ hour: Math.floor(nowMs / 3_600_000), status: 404, who: 1, errors: 1 }]
  former.add({ requests: [requestOf(1, nowMs, 404)], counts })
  for (const isSame of [true, false]) {
    const log = new ActivityLog(1024 * 1024)
    log.restore(
      former.kept(),
      () => isSame,
      () => isSame,
    )
    const found = [log.requests(1), log.sightings(1), [...log.whoHadErrors(nowMs)].filter(Boolean)].map(
      each => each.length,
    )
    t.same(found, isSame ? [1, 1, 1] : [0, 0, 0])
  }
})
