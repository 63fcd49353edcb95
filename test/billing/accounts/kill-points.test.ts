import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { verifyLedger } from '../../../src/billing/ledger/tools/verify-ledger.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { keyOf, openAccounts } from '../../support/accounts.ts'

t.setTimeout(300_000)

const CHILD = fileURLToPath(new URL('kill-point-child.js', import.meta.url))
const QUERIES = 100
const STEPS_MAX = 50

for (const earlier of ['unflushed', 'flushed'])
  t.test(`a kill between two stores of a charge loses and doubles nothing, after ${earlier} charges`, t =>
    killEach(t, earlier),
  )

/** @param earlier `flushed` or `unflushed` charges before the last one */
async function killEach(t: Test, earlier: string): Promise<void> {
  const seen: string[] = []
  for (let step = 1; step < STEPS_MAX; step++) {
    const dir = t.testdir()
    const accounts = await openAccounts({ dir })
    const { id } = await accounts.createAccount({ email: 'ada@example.org', freeCredit: false })
    await accounts.credit({ account: id, micros: QUERIES * QUERY_PRICE_MICROS, reference: 'r', kind: 'test' })
    const { id: keyId, secret } = await accounts.createKey(id)
    await accounts.setKeyCap(keyId, QUERIES * QUERY_PRICE_MICROS)
    await accounts.close()

    const { stdout, signal } = spawnSync(process.execPath, [CHILD, dir, secret, String(step), earlier], {
      encoding: 'utf8',
    })
    t.equal(signal, 'SIGKILL')
    const answered = Array.from(stdout.matchAll(/^answered (\d+)$/gm), ([, queries]) => Number(queries))
    const steps = Array.from(stdout.matchAll(/^step \d+ (\w+)$/gm), ([, name]) => name)
    const sum = answered.reduce((total, queries) => total + queries, 0)
    // The charge in progress counts once its count is stored, which the next step shows.
    const isCounted = steps.slice(0, -1).includes('count')
    const isWhole = answered.length === 6
    const expected = isCounted && !isWhole ? sum + 6 : sum

    t.match(await verifyLedger(dir), { status: 'sound', problems: [] })
    const again = await openAccounts({ dir })
    const { queries, spentMicros } = again.key(keyId) ?? {}
    const counted = Object.values(queries ?? {}).reduce((total, count) => total + count, 0)
    t.equal(counted, expected, `killed at step ${steps.length}, before ${steps.at(-1)}`)
    t.equal(spentMicros, expected * QUERY_PRICE_MICROS)
    const left = (QUERIES - expected) * QUERY_PRICE_MICROS
    t.equal(again.account(id)?.balanceMicros, left)
    const key = keyOf(again, secret)
    t.ok(again.charging.charge(key, 0, QUERIES - expected + 1))
    t.equal(
      again.charging.charge(key, 0, QUERIES - expected),
      null,
      'the cap and the balance pay for the rest',
    )
    await again.close()
    t.match(await verifyLedger(dir), { status: 'sound', spentMicros: QUERIES * QUERY_PRICE_MICROS })
    if (isWhole) break
    seen.push(steps.at(-1) ?? '')
  }
  const expected = ['compareExchange', 'balance', 'cap', 'count', 'store']
  t.same(seen, earlier === 'flushed' ? expected.toSpliced(4, 0, 'or').concat('exchange') : expected)
}
