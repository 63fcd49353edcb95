import { createHmac } from 'node:crypto'
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Accounts } from '../../src/billing/accounts/accounts.ts'
import type { SharedKey } from '../../src/billing/accounts/charging/shared-key.ts'
import type { UsageRow } from '../../src/billing/accounts/reports/usage-report.ts'
import type { KeyView } from '../../src/billing/accounts/views.ts'
import { openAlerts } from '../../src/console/alerts/alerts.ts'
import { openAuditLog } from '../../src/console/audit/audit-log.ts'
import { createLog } from '../../src/platform/log.ts'
import { USAGE_NAMES } from '../../src/service/endpoints/table.ts'
import { keyOf, openAccounts } from '../support/accounts.ts'
import {
  Browser,
  movableClock,
  signInAs,
  startDashboard,
  startWithCustomer,
  type TestDashboard,
} from '../support/dashboard.ts'
import { type Hook, startHook } from '../support/hook.ts'
import { createMemoryLog } from '../support/kept-log.ts'
import { startSmtpCatcher } from '../support/smtp-catcher.ts'
import { until } from '../support/until.ts'
import { rowsOf, warningsOf } from './page-reader.ts'

const ADA = 'ada@example.com'
const PRIVATE = { ALERT_PRIVATE_WEBHOOKS: '1' }
const HOUR_MS = 3_600_000

async function newKey(accounts: Accounts, label = ''): Promise<SharedKey & { id: string }> {
  const { id, secret } = await accounts.createKey(ADA, { label })
  return Object.assign(keyOf(accounts, secret), { id })
}

async function saveAlerts(ada: Browser, email: string[], hook: Hook | null = null, kinds: string[] = []) {
  const [byEmail, webhook] = [email.join(), kinds.join()]
  return ada.submit('/alerts', '/alerts', { email: byEmail, webhook, url: hook?.url ?? '' })
}

const typesOf = ({ messages }: Hook) =>
  messages.map(({ body }) => (JSON.parse(body) as { type: string }).type)

t.test('an account gets an alert about an empty balance by default', async t => {
  const smtp = await startSmtpCatcher(t)
  const dashboard = await startDashboard(t, smtp.env)
  const ada = await signInAs(dashboard, ADA)
  for (const kind of ['balance.low', 'key.capped', 'recharge.failed'])
    t.match(await ada.read('/alerts'), `name="email" value="${kind}" checked`)
  dashboard.accounts.charging.charge(await newKey(dashboard.accounts, 'first'), 0, 1000)
  await until(() => smtp.emails.length === 1)
  t.match(smtp.emails[0], { to: [ADA], raw: 'Subject: postrie: Balance used up' })
})

t.test("only chosen alerts are emailed to the account's address", async t => {
  const smtp = await startSmtpCatcher(t)
  const { accounts, ada } = await startWithCustomer(t, smtp.env)
  t.match(warningsOf(await ada.read('/alerts')), [/^caution: No threshold is set.*\[Set one\]/])
  t.match(await ada.read('/alerts'), `Email goes to ${ADA}`)
  t.equal((await saveAlerts(ada, ['balance.empty', 'key.created'])).status, 303)
  const key = await newKey(accounts, 'billing')
  await until(() => smtp.emails.length === 1)
  const [created] = smtp.emails
  t.same(created?.to, [ADA])
  t.equal(created?.from, 'alerts@example.com')
  t.match(created?.raw, 'Subject: postrie: A key was created')
  t.match(created?.raw, /The key billing \(pk_live_....…?/)
  t.match(created?.raw, `/keys/${key.id}`, 'the page of the key')
  t.match(created?.raw, 'Auto-Submitted: auto-generated')
  await accounts.setLowBalance(ADA, 27_000)
  t.same(warningsOf(await ada.read('/alerts')), [])
  accounts.charging.charge(key, 0, 1000)
  await until(() => smtp.emails.length === 2)
  t.match(smtp.emails[1]?.raw, 'Subject: postrie: Balance used up')
  await until(async () =>
    /<dt>Email<\/dt><dd><span class="tag good">delivered<\/span> “Balance used up” at <time/.test(
      await ada.read('/alerts'),
    ),
  )
  await ada.submit('/alerts', '/alerts/test')
  const all =
    /<dt>Email<\/dt><dd><span class="tag good">delivered<\/span> test at.*“Balance used up” at.*“A key was created or rolled” at/
  await until(async () => all.test(await ada.read('/alerts')))
})

t.test('a webhook gets every kind of alert, signed, once', async t => {
  const hook = await startHook(t)
  const { origin, accounts, ada, id } = await startWithCustomer(t, PRIVATE)
  const kinds = ['balance.low', 'balance.empty', 'key.capped', 'limit.near', 'key.created', 'sign-in.new']
  await saveAlerts(ada, [], hook, kinds)
  const { text } = await ada.visit('/alerts')
  const secret = /whsec_[\w-]{32}/.exec(text)?.[0] ?? ''
  await accounts.setLowBalance(id, 27_000)
  const key = await newKey(accounts)
  await accounts.setKeyCap(key.id, 28_000)
  await accounts.setLimits(id, { perMinute: null, perHour: null, perDay: 1000 })
  accounts.charging.takeFromLimits(key, 1000)
  accounts.charging.charge(key, 0, 1000)
  await new Browser(origin).signIn(ADA)
  await until(() => new Set(typesOf(hook)).size === kinds.length)
  t.same(typesOf(hook).toSorted(), kinds.toSorted(), 'one of each')
  for (const { body, signature, id } of hook.messages) {
    const [, seconds, mac] = /^t=(\d+),v1=(\w+)$/.exec(signature) ?? []
    t.equal(mac, createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex'))
    t.match(JSON.parse(body), { id, account: accounts.account(ADA)?.id, email: ADA, more: 0 })
    t.same(shapeOf(JSON.parse(body)), shapeOf(documentedMessage()), 'the fields that the page shows')
  }
  await ada.submit('/alerts', '/alerts/secret')
  const replaced = /whsec_[\w-]{32}/.exec(await ada.read('/alerts'))?.[0]
  t.ok(replaced)
  t.not(replaced, secret)
})

t.test('a key that spends far more than on other days is reported, and named on the overview', async t => {
  const hook = await startHook(t)
  const { accounts, ada } = await startWithCustomer(t, PRIVATE)
  const [leaked, usual, fresh] = await Promise.all(
    ['leaked', 'usual', 'new'].map(each => newKey(accounts, each)),
  )
  const today = Math.floor(Date.now() / 24 / HOUR_MS) * 24 * HOUR_MS
  const queries = Object.fromEntries(USAGE_NAMES.map(name => [name, 1]))
  const day = ({ id: key }: { id: string }, startMs: number, spentMicros: number) =>
    ({ key, startMs, spentMicros, queries }) as UsageRow
  const usage: UsageRow[] = [
    ...[1, 2, 3, 4, 5, 6, 7].flatMap(ago =>
      [leaked, usual, fresh].map(key => day(key, today - 24 * ago * HOUR_MS, 200_000)),
    ),
    ...[day(leaked, today, 1_000_000), day(usual, today, 999_999), day(fresh, today, 9_000_000)],
  ]
  const hours = [day(leaked, today + 5 * HOUR_MS, 900_000), day(leaked, today + 6 * HOUR_MS, 100_000)]
  accounts.usage = (_, { by }) => (by === 'hour' ? hours : usage)
  // The new key spends much, too, but has no days before.
  const { listKeys, key } = accounts
  const aged = (key: KeyView) => ({ ...key, createdMs: key.label === 'new' ? Date.now() : 0 })
  accounts.listKeys = id => listKeys.call(accounts, id).map(aged)
  accounts.key = id => [key.call(accounts, id)].flatMap(each => each && aged(each))[0]
  await saveAlerts(ada, [], hook, ['key.surge'])
  accounts.charging.charge(leaked, 0, 1)
  await until(() => hook.messages.length === 1)
  const { type, facts } = JSON.parse(hook.messages[0]?.body ?? '')
  t.match([type, facts.length, facts[0].subject], ['key.surge', 1, leaked.id])
  t.match(
    facts[0].text,
    /^The key leaked \(pk_live_.{4}…\) spent \$1\.00 today, with a rise at 05:00, and about \$0\.20 on a usual day\.$/,
  )
  t.match(
    await ada.read('/'),
    /The key “leaked” spent \$1\.00 today, with .* on a usual day\..*"\/keys\/key_\w+#uses">See who/,
  )
  const { url, text } = await ada.visit(`/keys/${leaked.id}`)
  const surge = 'spent $1.00 today, with a rise at 05:00, and about $0.20 on a usual day'
  t.match(text, `This key ${surge}.`, url)
  t.match(rowsOf(await ada.read('/keys'), 'Keys').join(), `active ${surge} |`, 'the list marks it')
  t.match(await ada.read('/usage'), `The key “leaked” ${surge}.`)
  t.match(text, `<a href="/keys/${leaked.id}/roll">Roll the key</a> or <a href="#uses">allow only`)
  t.match(await ada.read(`/keys/${leaked.id}/roll`), '<option value="0" selected="">', 'at once')
  t.notMatch(await ada.read(`/keys/${usual.id}/roll`), '<option value="0" selected="">')
  t.notMatch(await ada.read(`/keys/${usual.id}`), 'This key spent')
})

t.test('a rolled key is reported like a new one, with or without an overlap', async t => {
  const hook = await startHook(t)
  const { accounts, ...dashboard } = await startDashboard(t, PRIVATE)
  const ada = await signInAs({ accounts, ...dashboard }, ADA)
  const [overlapped, ended] = [await newKey(accounts, 'first'), await newKey(accounts, 'second')]
  await saveAlerts(ada, [], hook, ['key.created'])
  await accounts.rollKey(overlapped.id, HOUR_MS)
  await until(() => hook.messages.length === 1)
  t.match(JSON.parse(hook.messages[0]?.body ?? ''), {
    type: 'key.created',
    facts: [
      { subject: overlapped.id, text: /^The key first \(pk_live_.{4}…\) was rolled: .* works until 20/ },
    ],
  })
  await accounts.rollKey(ended.id, 0)
  await until(() => lastEntry({ accounts, ...dashboard }, 'key.created').includes('The key second'))
  t.match(lastEntry({ accounts, ...dashboard }, 'key.created'), 'The earlier secret no longer works.')
  t.notMatch(lastEntry({ accounts, ...dashboard }, 'key.created'), /pk_live_\w{5}/, 'no secret')
})

t.test('an account gets one alert of a kind per hour, and the next one counts the others', async t => {
  const advance = movableClock(t)
  const hook = await startHook(t)
  const { dashboard, accounts, ada } = await startWithCustomer(t, PRIVATE)
  await saveAlerts(ada, [], hook, ['key.created', 'balance.low'])
  const factsOf = (at: number) =>
    (JSON.parse(hook.messages[at]?.body ?? '{}') as { facts?: { text: string }[]; more?: number }) ?? {}
  await newKey(accounts, 'first')
  await until(() => hook.messages.length === 1)
  for (let n = 1; n <= 25; n++) await newKey(accounts, `key ${n}`)
  // An ended condition is not reported, even if its message has not been sent yet.
  await accounts.setLowBalance(ADA, 1_000_000)
  await until(() => hook.messages.length === 2)
  t.equal(typesOf(hook)[1], 'balance.low', 'another kind does not wait')
  await accounts.setLowBalance(ADA, null)
  await until(() => lastEntry(dashboard, 'balance.low').includes('"raised":[]'))
  await accounts.setLowBalance(ADA, 2_000_000)
  await until(() => lastEntry(dashboard, 'balance.low').includes('$2.00'))
  await accounts.setLowBalance(ADA, null)
  await until(() => !lastEntry(dashboard, 'balance.low').includes('$2.00'))
  t.equal(hook.messages.length, 2)
  advance(HOUR_MS)
  await until(() => hook.messages.length === 3)
  t.equal(factsOf(2).facts?.length, 20, 'the first twenty')
  t.match(factsOf(2).facts?.[0]?.text, 'key 1')
  t.equal(factsOf(2).more, 5, 'the number of further alerts')
  t.equal(typesOf(hook).filter(type => type === 'balance.low').length, 1)
})

t.test('a failed message is repeated, also after a restart, and finally dropped', async t => {
  const advance = movableClock(t)
  const hook = await startHook(t)
  hook.status = 500
  const { dashboard, ada } = await startWithCustomer(t, { ...PRIVATE, OPERATORS: 'ops@example.org' })
  await saveAlerts(ada, [], hook, ['key.created'])
  await newKey(dashboard.accounts)
  await until(() => lastEntry(dashboard, 'key.created').includes('"attempts":1'))
  const concern = async () =>
    (await signInAs(dashboard, 'ops@example.org'))
      .read('/operator/service')
      .then(text => text.split('<dl')[0])
  t.match(
    await concern(),
    /1 alert could not be delivered and will be sent again, the oldest since .* by webhook: .*500.*>ada@example\.com</,
  )
  t.match(await ada.read('/alerts'), 'the receiver answered 500 instead of 2xx')
  await dashboard.restart()
  t.match(
    await new Browser(dashboard.origin, ada.cookies).read('/alerts'),
    /Kinds of alerts.*<dt>Webhook<\/dt><dd><span class="tag bad">not delivered<\/span> “.*” at <time.*: the receiver answered 500/s,
    'also after a restart',
  )
  hook.status = 302
  for (const [attempt, waitMs] of [
    [2, 5000],
    [3, 60_000],
    [4, 600_000],
  ]) {
    advance(waitMs ?? 0)
    await until(() => lastEntry(dashboard, 'key.created').includes(`"attempts":${attempt}`))
  }
  t.equal(new Set(hook.messages.map(({ id }) => id)).size, 1, 'the same message')
  advance(HOUR_MS)
  await until(() => lastEntry(dashboard, 'key.created').includes('"sending":null'))
  t.equal(hook.messages.length, 5, 'five attempts, and no redirect is followed')
  const { text } = await new Browser(dashboard.origin, ada.cookies).visit('/alerts')
  t.match(await concern(), /Alerts of 1 account were given up, the last at .*302.*ada@example\.com/)
  t.match(text, /not delivered<.*receiver answered 302/s)
  t.equal(statSync(join(dashboard.dir, 'alerts.jsonl')).mode & 0o777, 0o600)
})

t.test('a restart does not repeat the alert of a lasting condition', async t => {
  const hook = await startHook(t)
  const { dashboard, ada } = await startWithCustomer(t, PRIVATE)
  await saveAlerts(ada, [], hook, ['balance.low', 'key.created'])
  await dashboard.accounts.setLowBalance(ADA, 1_000_000)
  await until(() => hook.messages.length === 1)
  // A stop before the note is stored repeats the message rather than losing it.
  await until(() => lastEntry(dashboard, 'balance.low').includes('"sending":null'))
  await dashboard.restart()
  await newKey(dashboard.accounts)
  await until(() => hook.messages.length === 2)
  t.same(typesOf(hook), ['balance.low', 'key.created'])
})

t.test('a start announces a balance that ran out during the stop', async t => {
  const hook = await startHook(t)
  const dataDir = t.testdir()
  const accounts = await openAccounts({ dir: dataDir })
  t.teardown(() => accounts.close())
  const { id } = await accounts.createAccount({ email: ADA })
  const audit = await openAuditLog(dataDir, console)
  t.teardown(() => audit.untilWritten())
  const log = createLog('silent')
  const channels = { smtp: null, operatorWebhook: null, allowPrivate: true }
  const parts = { accounts, audit, log, dataDir, origin: '', ...channels }
  const before = await openAlerts(parts)
  const kinds = ['balance.low', 'balance.empty'] as const
  await before.choose(id, { email: [], webhook: { url: hook.url, secret: 'x', kinds: [...kinds] } })
  await before.close()
  await accounts.setLowBalance(id, 1_000_000)
  await accounts.adjust({ account: id, micros: 28_000, reference: 'spent', kind: 'refund' })
  const after = await openAlerts(parts)
  await until(() => hook.messages.length === 2)
  t.same(new Set(typesOf(hook)), new Set(kinds))
  await after.close()
  const kept = createMemoryLog()
  rmSync(join(dataDir, 'alerts.jsonl'))
  await (await openAlerts({ ...parts, log: kept.log })).close()
  t.match(kept.lines, [{ level: 'warn', message: 'all accounts must then choose their alerts again' }])
})

t.test('without a mail server, the webhook gets its message and the email is repeated', async t => {
  const advance = movableClock(t)
  const smtp = await startSmtpCatcher(t)
  const hook = await startHook(t)
  smtp.refuse(true)
  const { dashboard, ada } = await startWithCustomer(t, { ...PRIVATE, ...smtp.env })
  await saveAlerts(ada, ['key.created'], hook, ['key.created'])
  await newKey(dashboard.accounts)
  await until(() => lastEntry(dashboard, 'key.created').includes('"attempts":1'))
  t.match(
    await ada.read('/alerts'),
    /<dt>Webhook<.*>delivered<.*<dt>Email<.*>not delivered<.* the mail server did not accept it/s,
  )
  smtp.refuse(false)
  advance(5000)
  await until(() => smtp.emails.length === 1)
  t.equal(hook.messages.length, 1, 'the webhook gets no second message')
  await until(() => lastEntry(dashboard, 'key.created').includes('"sending":null'))
  t.match(await ada.read('/alerts'), /<dt>Email<[^>]*><dd><span class="tag good">delivered</)
})

t.test('a new browser is reported once', async t => {
  const hook = await startHook(t)
  const { origin, ada } = await startWithCustomer(t, PRIVATE)
  await saveAlerts(ada, [], hook, ['sign-in.new'])
  await ada.submit('/', '/sign-out')
  await ada.signIn(ADA)
  const stranger = new Browser(origin)
  await stranger.signIn(ADA)
  await until(() => hook.messages.length > 0)
  const { facts } = JSON.parse(hook.messages[0]?.body ?? '') as { facts: { text: string }[] }
  t.equal(facts.length, 1, 'only the browser that had not signed in before')
  t.match(facts[0]?.text, 'through a token from 127.0.0.1 with a new browser: ')
})

t.test('a test message goes to every receiver, at most once a minute', async t => {
  const advance = movableClock(t)
  const hook = await startHook(t)
  const { ada } = await startWithCustomer(t, PRIVATE)
  await saveAlerts(ada, [], hook)
  await ada.submit('/alerts', '/alerts/test')
  await until(() => hook.messages.length === 1)
  t.same(typesOf(hook), ['test'])
  const early = await ada.expectRefused('/alerts', '/alerts/test')
  t.match(early, /Nothing was sent: .* less than a minute ago\. Try again in \d+ seconds?\./)
  advance(60_000)
  hook.status = 500
  await until(async () => {
    await ada.submit('/alerts', '/alerts/test')
    return hook.messages.length === 2
  })
  await until(async () => {
    const response = await ada.fetch('/alerts')
    const text = await response.text()
    // The page loads itself again until it has the result, and shows no older one meanwhile.
    t.equal(response.headers.has('Refresh'), text.includes('The test is being sent.'))
    return />not delivered<\/span> test at <time[^>]*>[^<]*<\/time>: the receiver answered 500/.test(text)
  })
  await saveAlerts(ada, ['balance.low'], { ...hook, url: `${hook.url}/secret` }, ['balance.low'])
  await saveAlerts(ada, ['balance.low'], hook, ['balance.low'])
  const log = await ada.read('/account/log')
  t.match(log, /by webhook at 127\.0\.0\.1:\d+: balance below your threshold \(new address\)<\/td>/)
  t.notMatch(log, '/secret')
})

function outboxOf({ dir }: TestDashboard): string {
  const path = join(dir, 'alerts-outbox.jsonl')
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

function lastEntry(dashboard: TestDashboard, kind: string): string {
  return (
    outboxOf(dashboard)
      .split('\n')
      .findLast(line => line.includes(` ${kind}"`)) ?? ''
  )
}

/** Reads the message that docs/dashboard.md shows. */
function documentedMessage(): unknown {
  const page = readFileSync(new URL('../../../docs/dashboard.md', import.meta.url), 'utf8')
  const [, block = ''] = /^```json\n(\{"id":[\s\S]*?)^```/m.exec(page) ?? []
  return JSON.parse(block)
}

/** Returns the names of the fields and facts of a message, in order. */
function shapeOf(message: unknown): unknown {
  const { facts } = message as { facts: object[] }
  return [Object.keys(message as object), Object.keys(facts[0])]
}
