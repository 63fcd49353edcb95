import t from 'tap'
import { Accounts } from '../../src/billing/accounts/accounts.ts'
import { ledgerMetrics, renderMetrics } from '../../src/console/reports/account-metrics.ts'
import { CHARGED, USAGE_NAMES } from '../../src/service/endpoints/table.ts'
import { charge } from '../support/dashboard.ts'

t.test('charges are counted by kind and revenue adds up', async t => {
  const accounts = await Accounts.open({ usageClasses: CHARGED, dir: t.testdir() })
  t.teardown(() => accounts.close())
  const { id } = await accounts.createAccount({ email: 'ada@example.com' })
  await accounts.credit({ account: id, micros: 1_000_000, kind: 'test', reference: 'metrics' })
  const { key: secret } = await accounts.createKey(id)
  const counted = async () => {
    await accounts.makeDurable()
    const text = renderMetrics(ledgerMetrics(accounts))
    return Array.from(text.matchAll(/^postrie_(?:charged|revenue).* (\S+)$/gm), match => Number(match[1]))
  }
  charge(accounts, secret, 0, 3)
  charge(accounts, secret, 4, 100)
  const byClass = USAGE_NAMES.map((_, usage) => ({ 0: 3, 4: 100 })[usage] ?? 0)
  t.same(await counted(), [...byClass, 103 * 0.000028])
  charge(accounts, secret, 0, 2)
  charge(accounts, secret, 0, 4)
  t.same((await counted())[0], 9)
})
