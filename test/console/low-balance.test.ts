import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { charge, signInAs, startDashboard } from '../support/dashboard.ts'
import { startHook } from '../support/hook.ts'
import { until } from '../support/until.ts'

t.test('each fall below the threshold sends one signed message', async t => {
  const hook = await startHook(t)
  const { messages } = hook
  const dashboard = await startDashboard(t, {
    LOW_BALANCE_WEBHOOK_URL: hook.url,
    LOW_BALANCE_WEBHOOK_SECRET: 'hush',
    OPERATORS: 'ops@example.org',
  })
  const { accounts } = dashboard
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  const { secret: key } = await accounts.createKey(id)
  await accounts.setLowBalance(id, 27_000)
  t.equal(messages.length, 0, 'above the threshold')

  for (let n = 0; n < 40; n++) charge(accounts, key, 0, 1)
  await until(() => messages.length === 1)
  t.match(JSON.parse(messages[0]?.body ?? ''), {
    type: 'balance.low',
    account: id,
    balance: 0.02688,
    threshold: 0.027,
  })
  const [, seconds, mac] = /^t=(\d+),v1=(\w+)$/.exec(messages[0]?.signature ?? '') ?? []
  t.equal(mac, createHmac('sha256', 'hush').update(`${seconds}.${messages[0]?.body}`).digest('hex'))

  const stateOf = (id: string) => {
    const lines = readFileSync(join(dashboard.dir, 'alerts-outbox.jsonl'), 'utf8').trim().split('\n')
    return lines.map(line => JSON.parse(line)).findLast(([key]) => key === `${id} operator`)?.[1]
  }
  const isTold = (id: string) => stateOf(id)?.sending === null && stateOf(id).raised.length === 1
  await until(() => isTold(id))
  await accounts.credit({ account: id, micros: 5_000_000, reference: 'r1', kind: 'operator' })
  await until(() => stateOf(id)?.raised.length === 0)
  await accounts.setLowBalance(id, 9_000_000)
  await until(() => messages.length === 2 && isTold(id))

  const other = await accounts.createAccount({ email: 'bob@example.com' })
  await dashboard.restart({ LOW_BALANCE_WEBHOOK_URL: '', LOW_BALANCE_WEBHOOK_SECRET: '' })
  await dashboard.accounts.setLowBalance(other.id, 9_000_000)
  await dashboard.restart()
  await until(() => messages.length === 3)
  t.match(JSON.parse(messages[2]?.body ?? ''), { account: other.id }, 'a fall during the stop')
  await until(() => isTold(other.id))
  await dashboard.restart()
  await dashboard.accounts.setLowBalance(id, 9_500_000)
  t.equal(messages.length, 3, 'a repeated fall sends nothing')
  hook.status = 500
  const third = await dashboard.accounts.createAccount({ email: 'carol@example.com' })
  await dashboard.accounts.setLowBalance(third.id, 9_000_000)
  await until(() => stateOf(third.id)?.sending?.attempts === 1)
  const service = await (await signInAs(dashboard, 'ops@example.org')).read('/operator/service')
  t.match(service, /LOW_BALANCE_WEBHOOK_URL does not accept 1 message, .*the receiver answered 500/)
  t.notMatch(service, 'carol@', 'no account has to be seen to')
})
