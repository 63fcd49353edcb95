import t from 'tap'
import { ActivityLog } from '../../src/http/activity/activity-log.ts'
import type { NotedRequest } from '../../src/http/activity/activity-writer.ts'
import { LOGGED_REQUEST_BYTES } from '../../src/limits.ts'

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
  queries: 1,
  code: '90210',
})
t.test('beyond the memory limit, the account with the oldest request is forgotten', async t => {
  const log = new ActivityLog(10 * LOGGED_REQUEST_BYTES)
  for (let account = 0; account < 5; account++)
    log.add({ requests: [1, 2, 3].map(timeMs => requestOf(account, timeMs)), counts: new Map() })
  t.same(
    [0, 1, 2, 3, 4].map(account => log.requests(account).length),
    [0, 0, 3, 3, 3],
  )
})

t.test('answered requests do not push out the refused ones', async t => {
  const log = new ActivityLog(1024 * 1024)
  const answered = Array.from({ length: 3000 }, (_, n) => requestOf(1, n + 2))
  log.add({ requests: [requestOf(1, 1, 404), ...answered], counts: new Map() })
  const requests = log.requests(1)
  t.equal(requests.length, 1001)
  t.match(requests.at(-1), { status: 404, timeMs: 1 })
})
