import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { type Range, type UsageWish, usageSeries } from '../../src/control/reports/usage-series.ts'
import { systemClock } from '../../src/ledger/clock.ts'
import { signedIn, startDashboard } from '../support/dashboard.ts'

const DAY_MS = 86_400_000
const ALL: UsageWish = { range: '24h', split: 'endpoint', unit: 'queries', key: '', endpoint: '' }

t.test('a series has one colour in both charts, whatever its share of each', async t => {
  const endMs = Date.UTC(2026, 5, 10, 12)
  let nowMs = endMs - 10 * DAY_MS
  const clock = { ...systemClock, wallMs: () => nowMs, monotonicMs: () => nowMs }
  const accounts = await Accounts.open({ dir: t.testdir(), clock })
  t.teardown(() => accounts.close())
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  const { key: secret } = await accounts.createKey(id)
  const key = accounts.charging.authenticate(Buffer.from(secret), 0, secret.length)
  if (key === undefined) throw new Error('the key is unknown')
  const use = (usage: number, queries: number) => {
    accounts.charging.charge(key, usage, queries)
    accounts.usage(id, { by: 'hour' })
  }
  use(2, 300)
  nowMs = endMs
  use(0, 100)
  use(2, 1)
  const series = (range: Range) =>
    usageSeries(accounts, id, { ...ALL, range }, nowMs).series.map(({ label, colour, values }) => [
      label,
      colour,
      values.reduce((sum, count) => sum + count, 0),
    ])
  t.same(series('90d'), [
    ['validate', 0, 301],
    ['lookup', 1, 100],
  ])
  t.same(series('48h'), [
    ['validate', 0, 1],
    ['lookup', 1, 100],
  ])
})

t.test('the smallest of many keys share the last series', async t => {
  const accounts = await Accounts.open({ dir: t.testdir() })
  t.teardown(() => accounts.close())
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  for (let n = 1; n <= 13; n++) {
    const { key: secret } = await accounts.createKey(id, { label: `key ${n}` })
    const key = accounts.charging.authenticate(Buffer.from(secret), 0, secret.length)
    if (key !== undefined) accounts.charging.charge(key, 0, n * 10)
  }
  for (const range of ['48h', '90d'] as const) {
    const { series } = usageSeries(accounts, id, { ...ALL, range, split: 'key' }, Date.now())
    const shown = series.map(({ label, colour, values }) => [label.slice(0, 5), colour, Math.max(...values)])
    t.same(shown, [
      ...Array.from({ length: 9 }, (_, at) => [`key ${13 - at}`.slice(0, 5), at, (13 - at) * 10]),
      ['other', 9, 100],
    ])
  }
})

t.test('every range, filter and unit adds up to what was charged', async t => {
  const accounts = await Accounts.open({ dir: t.testdir() })
  t.teardown(() => accounts.close())
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  const ids: string[] = []
  for (const usages of [[0, 0, 2], [3]]) {
    const { id: keyId, key: secret } = await accounts.createKey(id)
    ids.push(keyId)
    const key = accounts.charging.authenticate(Buffer.from(secret), 0, secret.length)
    if (key !== undefined) for (const usage of usages) accounts.charging.charge(key, usage, 1)
  }
  const totalOf = (wish: Partial<UsageWish>) =>
    usageSeries(accounts, id, { ...ALL, ...wish }, Date.now()).total
  for (const range of ['24h', '48h', '7d', '30d', '90d'] as const) {
    t.equal(totalOf({ range }), 4, range)
    t.equal(totalOf({ range, unit: 'dollars' }), 4 * 28, `${range} in micro-dollars`)
    t.equal(totalOf({ range, key: ids[0] }), 3, `${range} of a key`)
    t.equal(totalOf({ range, endpoint: 'lookup' }), 2, `${range} of an endpoint`)
    t.equal(totalOf({ range, key: ids[1], endpoint: 'lookup' }), 0, `${range} of neither`)
    t.equal(totalOf({ range, split: 'key' }), 4, `${range} by key`)
  }
})

t.test('the file has what the page shows', async t => {
  const dashboard = await startDashboard(t)
  const { accounts } = dashboard
  const ada = await signedIn(dashboard, 'ada@example.com')
  t.match((await ada.visit('/usage')).text, 'Make the first request', 'an empty page says what to do')
  const { id, key: secret } = await accounts.createKey('ada@example.com', { label: '=danger' })
  const key = accounts.charging.authenticate(Buffer.from(secret), 0, secret.length)
  if (key === undefined) throw new Error('the key is unknown')
  accounts.charging.charge(key, 0, 3)
  accounts.charging.charge(key, 3, 2)
  const query = `range=24h&split=key&unit=dollars&key=${id}&endpoint=lookup`
  const { text } = await ada.visit(`/usage?${query}`)
  t.match(text, '$0.000084')
  t.match(text, `href="/usage.csv?${query.replaceAll('&', '&amp;')}"`)
  const answer = await ada.fetch(`/usage.csv?${query}`)
  t.match(answer.headers.get('Content-Disposition'), /^attachment; filename="postrie-usage-24h-/)
  const lines = (await answer.text()).trim().split('\r\n')
  t.equal(lines.length, 26, 'a head, 24 hours, a total')
  t.match(lines[0], /^hour_utc,'=danger \(pk_live_/, 'no formula')
  t.equal(lines.at(-1), 'total,0.000084,0.000084')
  const bob = await signedIn(dashboard, 'bob@example.com')
  t.match(
    (await bob.visit(`/usage.json?range=90d&key=${id}`)).text,
    '"total":0',
    "another account's key is not understood",
  )
  t.equal((await ada.fetch('/usage?range=__proto__&unit=x&endpoint=constructor')).status, 200)
})

t.test('a statement has one line a day, which opens by key', async t => {
  const dashboard = await startDashboard(t)
  const { accounts } = dashboard
  const ada = await signedIn(dashboard, 'ada@example.com')
  for (const label of ['shop', 'import', 'import']) {
    const { key: secret } = await accounts.createKey('ada@example.com', { label })
    const key = accounts.charging.authenticate(Buffer.from(secret), 0, secret.length)
    if (key !== undefined) accounts.charging.charge(key, 0, 5)
  }
  const { text } = await ada.visit('/balance')
  const table = /<table><caption>Statement.*?<\/table>/.exec(text)?.[0] ?? ''
  t.equal([...table.matchAll(/<td[^>]*>Usage<\/td>/g)].length, 1, 'three keys, one line')
  t.match(table, /<summary>15 queries with 3 keys<\/summary>/)
  t.match(table, /<dt>shop<\/dt><dd>5 queries, \$0\.000140<\/dd>/)
  t.match(table, '−$0.000420', 'fixed decimals')
  t.match(table, '$0.027580</td>', 'the balance after the day')
  const file = (await ada.visit('/statement.csv')).text
  t.equal([...file.matchAll(/,usage,/g)].length, 3, 'the file goes on to have a line for each key')
})
