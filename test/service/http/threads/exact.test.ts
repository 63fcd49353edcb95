import t from 'tap'
import type { RateLimits } from '../../../../src/billing/ledger/event.ts'
import { verifyLedger } from '../../../../src/billing/ledger/tools/verify-ledger.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../src/platform/time.ts'
import { withinWindow } from '../../../support/minute.ts'
import { lookupWith, sendCopies, sendRequests, startThreads } from '../../../support/threads.ts'

t.setTimeout(180_000)

const CONNECTIONS = 32
const PRICE_MICROS = 28
const BATCH = 1000

const batchWith = (apiKey: string) => ({
  path: '/api/validate-bulk',
  body: JSON.stringify({
    apiKey,
    records: Array.from({ length: BATCH }, () => ({ postalCode: '90210', countryCode: 'US' })),
  }),
})

/** Four threads charge like one. */
const { port, accounts, openAccount, errors, folder } = await startThreads(t, 4)

t.test('a balance pays for exactly its queries', async t => {
  const { id, key, keyId } = await openAccount(2000)
  t.same(await sendCopies(port, CONNECTIONS, 3000, lookupWith(key)), { 200: 2000, 402: 1000 })
  t.equal(accounts.account(id)?.balanceMicros, 0)
  t.equal(accounts.key(keyId)?.spentMicros, 2000 * PRICE_MICROS)
})

t.test('each of the three limits admits exactly its queries', async t => {
  const none: RateLimits = { perMinute: null, perHour: null, perDay: null }
  const windows = [
    ['perMinute', MINUTE_MS],
    ['perHour', HOUR_MS],
    ['perDay', DAY_MS],
  ] as const
  for (const [name, windowMs] of windows) {
    const counts = await withinWindow(windowMs, async () => {
      const { id, key } = await openAccount(10_000)
      await accounts.setLimits(id, { ...none, [name]: 500 })
      return sendCopies(port, CONNECTIONS, 800, lookupWith(key))
    })
    t.same(counts, { 200: 500, 429: 300 }, name)
  }
})

t.test('the cap of a key admits exactly its queries', async t => {
  const { id, key, keyId } = await openAccount(5000)
  await accounts.setKeyCap(keyId, 700 * PRICE_MICROS)
  t.same(await sendCopies(port, CONNECTIONS, 1000, lookupWith(key)), { 200: 700, 402: 300 })
  t.equal(accounts.account(id)?.balanceMicros, 4300 * PRICE_MICROS)
})

t.test('batches of 1,000 among single requests are charged exactly', async t => {
  const queries = 5345
  const { id, key } = await openAccount(queries)
  const batch = batchWith(key)
  const lookup = lookupWith(key)
  let sent = 0
  let isEmpty = false
  let answered = 0
  const statuses = new Set<number | undefined>()
  await sendRequests(
    port,
    CONNECTIONS,
    () => {
      if (isEmpty) return undefined
      // There are more batches than the balance pays for.
      return sent++ % 100 === 0 ? batch : lookup
    },
    (request, answer) => {
      statuses.add(answer?.status)
      if (answer?.status === 200) answered += request === batch ? BATCH : 1
      else if (request === lookup && answer?.status === 402) isEmpty = true
    },
  )
  t.equal(answered, queries)
  t.equal(accounts.account(id)?.balanceMicros, 0)
  t.same([...statuses].sort(), [200, 402])
})

t.test('credits during load are exact', async t => {
  const { id, key, keyId } = await openAccount(1000)
  let credited = 1000
  let answered = 0
  let left = 2500
  const load = sendRequests(
    port,
    CONNECTIONS,
    () => (left-- > 0 ? lookupWith(key) : undefined),
    (_request, answer) => {
      if (answer?.status === 200) answered++
      else if (answer?.status !== 402) t.fail(`status ${answer?.status}`)
    },
  )
  for (let i = 0; i < 20; i++) {
    await accounts.credit({ account: id, micros: 100 * PRICE_MICROS, kind: 'test', reference: `${id} ${i}` })
    credited += 100
  }
  await load
  t.equal(accounts.account(id)?.balanceMicros, (credited - answered) * PRICE_MICROS)
  t.equal(accounts.key(keyId)?.spentMicros, answered * PRICE_MICROS)
})

t.test('nothing unexpected happened, and the ledger is sound', async t => {
  t.same(errors, [])
  t.match(await verifyLedger(folder), { status: 'sound', problems: [] })
})
