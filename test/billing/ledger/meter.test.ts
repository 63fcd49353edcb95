import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Accounts } from '../../../src/billing/accounts/accounts.ts'
import { CHARGED } from '../../../src/service/endpoints/table.ts'
import { AccountsFixture } from '../accounts/accounts-fixture.ts'
import { settleDisk } from './life.ts'

const PRICE_MICROS = 28

t.test('counts beyond 32 bits survive the process in every class', async t => {
  const fixture = await AccountsFixture.create()
  const { accounts, accountId, keyId } = fixture
  await accounts.credit({ account: accountId, micros: 10 ** 12, reference: 'r', kind: 'test' })
  const key = fixture.key()
  const most = 2 ** 30
  for (let count = 0; count < 5; count++) t.equal(accounts.charging.charge(key, 9, most), true)
  t.match(accounts.key(keyId), { queries: { format: 5 * most } }, 'before any flush')
  await fixture.restart()
  t.match(fixture.accounts.key(keyId), { queries: { format: 5 * most } }, 'from the meter alone')
  t.equal(fixture.accounts.charging.charge(fixture.key(), 0, 1), true)
  fixture.clock.advance(1000)
  await settleDisk()
  await fixture.restart()
  t.match(fixture.accounts.key(keyId), { queries: { format: 5 * most, lookup: 1 } })
})

const withoutProc = process.platform !== 'linux' && 'needs /proc'
t.test('a million reserved accounts and keys take no memory and no disk', { skip: withoutProc }, async t => {
  const rssKb = () => Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1])
  const dir = t.testdir()
  const before = rssKb()
  const accounts = await Accounts.open({ usageClasses: CHARGED, dir })
  const { id } = await accounts.createAccount({ email: 'ada@example.org' })
  const { key: secret } = await accounts.createKey(id)
  const key = accounts.charging.authenticate(Buffer.from(secret), 0, secret.length)
  t.ok(key && accounts.charging.charge(key, 0, 1))
  t.ok(rssKb() - before < 32 * 1024, `${rssKb() - before} KB`)
  const { size, blocks } = statSync(join(dir, 'ledger', 'meter'))
  t.ok(size < 64 * 1024 && blocks * 512 < 64 * 1024, `${size} bytes, ${blocks} blocks`)
  await accounts.close()
  t.equal(accounts.account(id)?.balanceMicros, 1000 * PRICE_MICROS - PRICE_MICROS)
})
