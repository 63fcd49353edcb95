import t from 'tap'
import { ActivityLog, LOGGED_REQUEST_BYTES } from '../../../src/service/http/activity/activity-log.ts'
import { loggedRequest, refusalCount } from '../../support/activity.ts'

const senderOf = (who: number | string) => (typeof who === 'string' ? who : 1)
const requestOf = (who: number | string, timeMs: number, status = 200) => ({
  ...loggedRequest({ timeMs, status, sender: senderOf(who), code: '90210' }),
  ...{ who, network: '203.0.113.9', start: 'pk_live_abcd', isPrevious: false },
})

t.test('beyond the memory limit, the account with the oldest request is forgotten', async t => {
  const log = new ActivityLog(10 * LOGGED_REQUEST_BYTES)
  for (let account = 0; account < 5; account++)
    log.add({ requests: [1, 2, 3].map(timeMs => requestOf(account, timeMs)), refusals: [] })
  t.same(
    [0, 1, 2, 3, 4].map(account => log.requests(account, []).length),
    [0, 0, 3, 3, 3],
  )
})

const HOUR_MS = 3_600_000
const refusalOf = (who: number | string, requests: number, status = 404, error = 'ZIP code not found') => ({
  ...refusalCount({ sender: senderOf(who), requests, status, error }),
  who,
})

t.test(
  'all refusals are counted, by reason, those of a secret by its beginning, which may have any characters',
  async t => {
    const log = new ActivityLog(1024)
    const secret = 'YOUR API KEY'
    const failed = [refusalOf(secret, 1, 401, 'Invalid API key'), refusalOf('all', 2, 401, 'Invalid API key')]
    log.add({ requests: [], refusals: [...failed, refusalOf(7, 3), refusalOf(7, 1, 400, 'Invalid country')] })
    log.add({ requests: [], refusals: [refusalOf(7, 4)] })
    const counted = (account: number | null, secrets: string[] = []) =>
      log
        .refusals(account, secrets, Date.now())
        .map(({ status, error, requests }) => [status, error, requests])
    t.same(counted(7, [secret]).sort(), [
      [400, 'Invalid country', 1],
      [401, 'Invalid API key', 1],
      [404, 'ZIP code not found', 7],
    ])
    t.same(counted(null).sort(), [
      [400, '', 1],
      [401, '', 3],
      [404, '', 7],
    ])
    const sums = [...log.refusedCounts(Date.now())].map(([who, requests]) => `${who} ${requests}`)
    t.same(sums.sort(), ['YOUR API KEY 1', 'all 2', 'null 3'])
    t.same(log.refusals(7, [secret], Date.now() + 48 * HOUR_MS), [], 'for two days')
    const bound = { of: 'key', window: 'day', most: 9 } as const
    for (const wait of [5, null])
      log.add({ requests: [], refusals: [{ ...refusalOf(8, 1, 429), bound: { ...bound, wait } }] })
    t.equal(log.refusals(8, [], Date.now()).length, 2, 'a batch beyond a limit has a reason of its own')
  },
)

t.test('strangers with any number of secrets push out nothing of an account', async t => {
  const log = new ActivityLog(1024 * 1024)
  log.add({ requests: [requestOf(1, 1, 404)], refusals: [refusalOf(1, 1)] })
  const [request, refusal] = [requestOf('', 2, 401), refusalOf('', 1, 401, '')]
  for (let n = 0; n < 300_000; n += 1000) {
    const secrets = Array.from({ length: 1000 }, (_, i) => `secret ${n + i}`)
    const requests = secrets.slice(0, 25).map(who => ({ ...request, who, sender: who }))
    log.add({ requests, refusals: secrets.map(who => ({ ...refusal, who, sender: who })) })
  }
  t.equal(log.requests(1, []).length, 1)
  t.equal(log.refusals(1, [], Date.now()).length, 1)
  t.ok(log.refusedCounts(Date.now()).size < 20_000)
})

t.test('a restart after their time brings no codes back', async t => {
  const former = new ActivityLog(1024 * 1024)
  former.keepCodes(1, Date.now() + HOUR_MS)
  former.add({ requests: [requestOf(1, Date.now(), 404)], refusals: [] })
  for (const [untilMs, code] of [
    [Date.now() + HOUR_MS, '90210'],
    [Date.now() - 1, null],
  ] as const) {
    const log = new ActivityLog(1024 * 1024)
    const yes = () => true
    log.restore({ ...former.kept(), codes: [[1, untilMs]] }, yes, yes)
    t.equal(log.requests(1, [])[0]?.code, code)
  }
})

t.test('after a restart, a slot that another customer has shows nothing of the former one', async t => {
  const nowMs = Date.now()
  const former = new ActivityLog(1024 * 1024)
  former.add({ requests: [requestOf(1, nowMs, 404)], refusals: [refusalOf(1, 1)] })
  for (const isSame of [true, false]) {
    const log = new ActivityLog(1024 * 1024)
    log.restore(
      former.kept(),
      () => isSame,
      () => isSame,
    )
    const found = [log.requests(1, []), log.sightings(1), log.refusals(1, [], nowMs)].map(each => each.length)
    t.same(found, isSame ? [1, 1, 1] : [0, 0, 0])
  }
})
