/** Several threads charge the same accounts as fast as they can, on a real disk: exact to the query. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Accounts } from '../../src/accounts/accounts.ts'
import { USAGE_NAMES } from '../../src/endpoints/table.ts'
import { systemClock } from '../../src/ledger/clock.ts'
import { verifyLedger } from '../../src/ledger/tools/verify-ledger.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import type { AdmitAnswer, ChargeAnswer } from './charge-calls.ts'
import { ChargingPool } from './charging-pool.ts'
import type { FloodAnswer } from './charging-worker.ts'

t.setTimeout(300_000)

const SINGLE = { seed: 1, requests: 8000, sizes: [1], usages: 1, notes: null }

interface Started {
  dir: string
  accounts: Accounts
  pool: ChargingPool
  account: string
  key: string
  secret: string
  reopen(): Promise<Accounts>
}

/** An account with a balance of `queries` and one key, charged by `threads` threads. */
async function start(t: Test, threads: number, queries: number): Promise<Started> {
  const dir = await mkdtemp(join(tmpdir(), 'postrie-threads-'))
  const pool = new ChargingPool(threads)
  const options = { dir, threads, onFatal: (error: Error) => t.fail(String(error)) }
  let accounts = await Accounts.open(options)
  t.teardown(async () => {
    await pool.stop()
    await accounts.close()
    await rm(dir, { recursive: true })
  })
  const { id: account } = await accounts.createAccount({ email: 'ada@example.org', freeCredit: false })
  await accounts.credit({ account, micros: queries * QUERY_PRICE_MICROS, reference: 'r', kind: 'payment' })
  const { id: key, key: secret } = await accounts.createKey(account)
  await pool.attach(accounts)
  const reopen = async () => {
    await pool.detach()
    await accounts.close()
    t.match(await verifyLedger(dir), { status: 'sound' })
    accounts = await Accounts.open(options)
    return accounts
  }
  return { dir, accounts, pool, account, key, secret, reopen }
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
const chargedBy = (answers: readonly FloodAnswer[]) =>
  sum(answers.map(({ charged }) => sum(charged.map(sum))))

for (const threads of [1, 2, 4, 8]) {
  t.test(`${threads} threads: a balance of 5,000 queries pays for 5,000`, async t => {
    const { pool, accounts, account, key, secret, reopen } = await start(t, threads, 5000)
    const answers = await pool.flood({ ...SINGLE, requests: 8000 / threads, secrets: [secret] })
    t.equal(chargedBy(answers), 5000)
    t.equal(sum(answers.map(({ unpaid }) => unpaid)), 3000)
    const balances = answers.flatMap(answer => answer.balances)
    t.equal(new Set(balances).size, 5000, 'each answer has a balance of its own')
    t.equal(accounts.account(account)?.balanceMicros, 0)
    t.match(accounts.key(key), { queries: { lookup: 5000 }, spentMicros: 5000 * QUERY_PRICE_MICROS })
    const again = await reopen()
    t.match(again.account(account), { balanceMicros: 0, spentMicros: 5000 * QUERY_PRICE_MICROS })
    t.match(again.key(key), { queries: { lookup: 5000 } })
  })
}

t.test('three windows are exact across threads, with batches among single queries', async t => {
  const { pool, accounts, account, secret } = await start(t, 4, 10_000_000)
  for (const [name, limit] of Object.entries({ perMinute: 3000, perHour: 5000, perDay: 7000 })) {
    const limits = { perMinute: null, perHour: null, perDay: null, [name]: limit }
    const before = accounts.presentUse(account)
    await accounts.setLimits(account, limits)
    const used = accounts.presentUse(account)
    const present = { perMinute: used.minute, perHour: used.hour, perDay: used.day }[name] ?? 0
    const startMinute = Math.floor(Date.now() / 60_000)
    const answers = await pool.flood({ ...SINGLE, requests: 20_000, secrets: [secret] })
    if (Math.floor(Date.now() / 60_000) !== startMinute) continue
    t.equal(
      sum(answers.map(({ admitted }) => admitted)),
      limit - present,
      `${name}, ${JSON.stringify(before)}`,
    )
    t.match(accounts.presentUse(account), { [name.slice(3).toLowerCase()]: limit })
  }
  await accounts.setLimits(account, { perMinute: null, perHour: null, perDay: 200_000 })
  const { day } = accounts.presentUse(account)
  const answers = await pool.flood({ ...SINGLE, requests: 3000, sizes: [1, 1, 1, 1000], secrets: [secret] })
  const admitted = sum(answers.map(answer => answer.admitted))
  t.equal(accounts.presentUse(account).day, day + admitted, 'what was let through is what was counted')
  t.ok(day + admitted <= 200_000 && day + admitted > 199_000, `${day + admitted} of 200,000`)
  t.equal(chargedBy(answers), admitted, 'and all of it was paid for')
})

t.test('a secret that was ended is refused by a thread whose clock is late', async t => {
  const { pool, accounts, key, secret } = await start(t, 1, 1000)
  const late = new Float64Array(new SharedArrayBuffer(16))
  const setLate = () => late.set([Date.now() - 500, systemClock.monotonicMs() - 500])
  setLate()
  await pool.detach()
  await pool.attach(accounts, late)
  const finds = async (secret: string) => {
    setLate()
    return (await pool.call(0, { do: 'find', secret })) !== undefined
  }
  t.ok(await finds(secret))
  const { key: second } = await accounts.rollKey(key, 60_000)
  t.ok(await finds(secret), 'its overlap lasts')
  await accounts.endKeyOverlap(key)
  t.notOk(await finds(secret), 'its overlap was ended')
  t.ok(await finds(second))
  const { key: third } = await accounts.rollKey(key, 0)
  t.notOk(await finds(second), 'a roll without an overlap')
  t.ok(await finds(third))
  await accounts.suspend(accounts.key(key)?.account ?? '', 'late')
  t.notOk(await finds(third), 'suspended')
  await accounts.resume(accounts.key(key)?.account ?? '', 'in time')
  t.ok(await finds(third))
  await accounts.revokeKey(key)
  t.notOk(await finds(third), 'revoked')
})

t.test('a cap is exact across threads, and so is usage', async t => {
  const { pool, accounts, account, key, secret, reopen } = await start(t, 4, 1_000_000)
  const { id: other, key: otherSecret } = await accounts.createKey(account)
  await accounts.setKeyCap(key, 777 * QUERY_PRICE_MICROS)
  const answers = await pool.flood({
    ...SINGLE,
    requests: 4000,
    secrets: [secret, otherSecret],
    usages: USAGE_NAMES.length,
  })
  t.equal(sum(answers.map(({ charged }) => sum(charged[0]))), 777)
  const expected = USAGE_NAMES.map((_, usage) => sum(answers.map(({ charged }) => charged[1][usage])))
  t.same(Object.values(accounts.key(other)?.queries ?? {}), expected)
  await accounts.setKeyCap(key, 1000 * QUERY_PRICE_MICROS)
  const more = await pool.flood({ ...SINGLE, seed: 2, requests: 500, secrets: [secret] })
  t.equal(chargedBy(more), 223, 'what a raised cap allows')
  const again = await reopen()
  t.same(Object.values(again.key(other)?.queries ?? {}), expected)
  t.match(again.key(key), {
    spentMicros: 1000 * QUERY_PRICE_MICROS,
    monthSpentMicros: 1000 * QUERY_PRICE_MICROS,
  })
})

t.test('a revoked key is refused at once by every thread, and a new one works at once', async t => {
  const { pool, accounts, account, key, secret } = await start(t, 4, 1_000_000)
  for (let thread = 0; thread < pool.threads; thread++)
    t.type(await pool.call<number>(thread, { do: 'find', secret }), 'number')
  const revoked = accounts.revokeKey(key)
  for (let thread = 0; thread < pool.threads; thread++)
    t.equal(await pool.call(thread, { do: 'find', secret }), undefined, 'before the sync')
  await revoked
  for (let round = 0; round < 20; round++) {
    const created = await accounts.createKey(account)
    const thread = round % pool.threads
    const call = { do: 'charge', secret: created.key, usage: 0, queries: 1 } as const
    t.match(await pool.call<ChargeAnswer>(thread, call), { isCharged: true })
    await accounts.setKeyCap(created.id, QUERY_PRICE_MICROS)
    t.match(
      await pool.call<ChargeAnswer>((thread + 1) % pool.threads, call),
      { isCharged: false },
      'the new cap',
    )
    await accounts.revokeKey(created.id)
  }
})

t.test('limits that are set, changed and lifted hold on the next request of every thread', async t => {
  const { pool, accounts, account, secret } = await start(t, 3, 1_000_000)
  const admit = (thread: number, queries: number) =>
    pool.call<AdmitAnswer>(thread, { do: 'admit', secret, queries })
  await accounts.setLimits(account, { perMinute: null, perHour: null, perDay: 100 })
  t.match(await admit(0, 60), { wait: 0, day: 60 })
  t.ok((await admit(1, 41)).wait > 0)
  t.match(await admit(2, 40), { wait: 0, day: 100 })
  await accounts.setLimits(account, { perMinute: null, perHour: null, perDay: 101 })
  t.match(await admit(1, 1), { wait: 0, day: 101 })
  await accounts.setLimits(account, null)
  t.match(await admit(2, 1000), { wait: 0 })
})

t.test('commands among charges of four threads: every micro-dollar is accounted for', async t => {
  const { pool, accounts, account, reopen } = await start(t, 4, 20_000)
  const secrets: string[] = []
  // More keys than the first memory has room for, so that it grows while it is used.
  const creations = async (): Promise<void> => {
    for (let round = 0; round < 12; round++) {
      const { id } = await accounts.createAccount({ email: `${round}@example.org` })
      const keys = await Promise.all(Array.from({ length: 100 }, () => accounts.createKey(id)))
      secrets.push(...keys.map(({ key }) => key))
    }
  }
  const { key: secret } = await accounts.createKey(account)
  let credited = 20_000 * QUERY_PRICE_MICROS
  let isDone = false
  const money = async (): Promise<void> => {
    for (let round = 0; !isDone; round++) {
      const request = { account, micros: 1 + (round % 7) * 1000, reference: `m${round}` }
      if (round % 3 === 0) await accounts.adjust({ ...request, kind: 'refund' })
      else await accounts.credit({ ...request, kind: 'payment' })
      credited += round % 3 === 0 ? -request.micros : request.micros
      const view = accounts.account(account)
      if (view === undefined) throw new Error('the account is gone')
      const { balanceMicros, spentMicros, debtMicros } = view
      if (balanceMicros + spentMicros - debtMicros !== credited) {
        t.fail(`${balanceMicros} and ${spentMicros} less ${debtMicros} are not ${credited}`)
        break
      }
    }
  }
  const moving = money()
  const creating = creations()
  const first = await pool.flood({
    ...SINGLE,
    requests: 10_000,
    secrets: [secret],
    usages: USAGE_NAMES.length,
  })
  await creating
  const second = await pool.flood({
    ...SINGLE,
    seed: 3,
    requests: 2000,
    secrets,
    usages: USAGE_NAMES.length,
  })
  isDone = true
  await moving
  t.equal(sum(second.map(({ unknown }) => unknown)), 0, 'every new key is found by every thread')
  t.equal(sum(second.map(({ unpaid }) => unpaid)), 0, 'and can pay')
  const spent = () => accounts.listAccounts().reduce((total, view) => total + view.spentMicros, 0)
  t.equal(spent(), (chargedBy(first) + chargedBy(second)) * QUERY_PRICE_MICROS)
  const before = accounts.listAccounts()
  const again = await reopen()
  t.same(again.listAccounts(), before)
  const { balanceMicros = -1, spentMicros = -1, debtMicros = -1 } = again.account(account) ?? {}
  t.equal(balanceMicros + spentMicros - debtMicros, credited)
})
