/** Rows of the meter: counts that show a flipped bit, files that grow, memory that is reserved and not taken. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { HEADER_BYTES, ROW_BYTES, storedCount } from '../../src/ledger/meter/meter-layout.ts'
import { Bench } from '../accounts/support.ts'
import { idle } from './life.ts'
import { diskOf, filesOf } from './simulated-disk.ts'
import { SimulatedProcess } from './simulated-process.ts'

const METER = '/data/ledger/meter'
const PRICE_MICROS = 28

t.test('counts beyond 32 bits, in every class, survive the process', async t => {
  const bench = await Bench.create()
  const { accounts, accountId, keyId } = bench
  await accounts.credit({ account: accountId, micros: 10 ** 12, reference: 'r', kind: 'test' })
  const key = bench.key()
  const most = 2 ** 30
  for (let count = 0; count < 5; count++) t.equal(accounts.charging.charge(key, 9, most), true)
  t.match(accounts.key(keyId), { queries: { format: 5 * most } }, 'before any flush')
  await bench.restart()
  t.match(bench.accounts.key(keyId), { queries: { format: 5 * most } }, 'from the meter alone')
  t.equal(bench.accounts.charging.charge(bench.key(), 0, 1), true)
  bench.clock.advance(1000)
  await idle()
  await bench.restart()
  t.match(bench.accounts.key(keyId), { queries: { format: 5 * most, lookup: 1 } })
})

t.test('rows of another ledger, of nobody, or beyond the balance are damage', async t => {
  const bench = await Bench.create()
  bench.accounts.charging.charge(bench.key(), 0, 1)
  await bench.accounts.close()
  const files = filesOf(bench.disk)
  const changed = async (row: number, cell: number, value: number) => {
    const meter = Buffer.from(files.get(METER) ?? [])
    meter.writeDoubleLE(value, HEADER_BYTES + row * ROW_BYTES + cell * 8)
    const fs = new SimulatedProcess(diskOf(new Map(files).set(METER, meter)))
    const again = await Accounts.open({
      dir: '/data',
      clock: bench.clock,
      accountsMax: 500,
      keysMax: 500,
      fs,
    })
    const { queries } = again.key(bench.keyId) ?? {}
    await again.close()
    return queries
  }
  t.match(await changed(1, 8, storedCount(1000)), { lookup: 1000 }, 'all that the balance pays for')
  t.match(await changed(1, 0, 0), { lookup: 1 }, 'a row that was not marked yet')
  await t.rejects(changed(1, 8, storedCount(1001)), { code: 'DAMAGED', message: /at most the balance/ })
  await t.rejects(changed(1, 0, 12345), { code: 'DAMAGED', message: /identity 12345/ })
  await t.rejects(changed(0, 8, storedCount(1)), { code: 'DAMAGED', message: /queries of keys only/ })
  await t.rejects(changed(2, 8, storedCount(1)), { code: 'DAMAGED', message: /unused slot/ })
  await t.rejects(changed(1, 8, 12), { code: 'DAMAGED', message: /a multiple of 683 plus 1/ })
})

t.test('a million accounts and keys are reserved, and take no memory and no disk', async t => {
  const rssKb = () => Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1])
  if (process.platform !== 'linux') return t.comment('needs /proc')
  const dir = t.testdir()
  const before = rssKb()
  const accounts = await Accounts.open({ dir })
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
