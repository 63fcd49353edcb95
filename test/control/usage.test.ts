import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import type { UsageClass } from '../../src/accounts/types.ts'
import { usageSeries } from '../../src/control/reports/usage.ts'
import { systemClock } from '../../src/ledger/clock.ts'

const DAY_MS = 86_400_000

t.test('a series has one colour in both charts, whatever its share of each', async t => {
  const endMs = Date.UTC(2026, 5, 10, 12)
  let nowMs = endMs - 10 * DAY_MS
  const clock = { ...systemClock, wallMs: () => nowMs, monotonicMs: () => nowMs }
  const accounts = await Accounts.open({ dir: t.testdir(), clock })
  t.teardown(() => accounts.close())
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  const { key: secret } = await accounts.createKey(id)
  const key = accounts.authenticate(Buffer.from(secret), 0, secret.length)
  if (key === undefined) throw new Error('the key is unknown')
  const use = (usage: UsageClass, queries: number) => {
    accounts.charge(key, usage, queries)
    accounts.usage(id, { by: 'hour' })
  }
  use(2, 300)
  nowMs = endMs
  use(0, 100)
  use(2, 1)
  const series = (by: 'hour' | 'day') =>
    usageSeries(accounts, id, by, 'class', nowMs).series.map(({ label, colour, queries }) => [
      label,
      colour,
      queries.reduce((sum, count) => sum + count, 0),
    ])
  t.same(series('day'), [
    ['validate', 0, 301],
    ['lookup', 1, 100],
  ])
  t.same(series('hour'), [
    ['validate', 0, 1],
    ['lookup', 1, 100],
  ])
})

t.test('the smallest of many keys share the last series', async t => {
  const accounts = await Accounts.open({ dir: t.testdir() })
  t.teardown(() => accounts.close())
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  for (let n = 1; n <= 9; n++) {
    const { key: secret } = await accounts.createKey(id, { label: `key ${n}` })
    const key = accounts.authenticate(Buffer.from(secret), 0, secret.length)
    if (key !== undefined) accounts.charge(key, 0, n * 10)
  }
  for (const by of ['hour', 'day'] as const) {
    const { series } = usageSeries(accounts, id, by, 'key', Date.now())
    const shown = series.map(({ label, colour, queries }) => [
      label.slice(0, 5),
      colour,
      Math.max(...queries),
    ])
    t.same(shown, [
      ['key 9', 0, 90],
      ['key 8', 1, 80],
      ['key 7', 2, 70],
      ['key 6', 3, 60],
      ['key 5', 4, 50],
      ['other', 5, 100],
    ])
  }
})
