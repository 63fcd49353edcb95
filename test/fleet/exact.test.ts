/** Four nodes on one PostgreSQL: balances, limits and caps are exact to the query, and a revocation holds everywhere. */
import t from 'tap'
import { stormOf } from '../support/threads.ts'
import { Fleet } from './fleet.ts'

t.setTimeout(240_000)

const PRICE_MICROS = 28
const FREE_QUERIES = 1000
const MINUTE_MS = 60_000

const fleet = await Fleet.start(t, 4)
let opened = 0

const lookupWith = (apiKey: string) => ({
  path: '/api/lookup',
  body: JSON.stringify({ apiKey, zipcode: '90210' }),
})

/** An account whose balance pays for so many queries, opened through the first node. */
async function openAccount(queries: number) {
  const [node] = fleet.nodes
  const email = `fleet${opened++}@example.com`
  const { id } = await fleet.command(['account', 'create', email], node)
  const dollars = String(((queries - FREE_QUERIES) * PRICE_MICROS) / 1_000_000)
  await fleet.command(['account', 'credit', email, dollars, '--reference', email], node)
  const { id: keyId, key } = await fleet.command(['key', 'create', email], node)
  return { id, email, keyId, key }
}

/** `count` requests to each node at the same time; the answers by status. */
async function stormAll(count: number, key: string): Promise<Record<number, number>> {
  const counts = await Promise.all(fleet.nodes.map(({ port }) => stormOf(port, 8, count, lookupWith(key))))
  const all: Record<number, number> = {}
  for (const some of counts)
    for (const [status, n] of Object.entries(some)) all[Number(status)] = (all[Number(status)] ?? 0) + n
  return all
}

/** Waits until every node knows the key. */
async function known(key: string): Promise<void> {
  for (const { port } of fleet.nodes) {
    for (;;) {
      const answer = await stormOf(port, 1, 1, {
        path: '/api/balance',
        body: JSON.stringify({ apiKey: key }),
      })
      if (answer[200] === 1) break
    }
  }
}

/** Waits until every node knows all that has been changed, by a new key, which is the latest change. @returns the key */
async function allChangesKnown(email: string): Promise<string> {
  const { key } = await fleet.command(['key', 'create', email], fleet.nodes[1])
  await known(key)
  return key
}

t.test('a balance of 5,000 queries answers 5,000 of 8,000 requests', async t => {
  const { id, key } = await openAccount(5000)
  await known(key)
  t.same(await stormAll(2000, key), { 200: 5000, 402: 3000 })
  const { credited, spent, leased } = await fleet.booked(id)
  t.equal(credited, 5000 * PRICE_MICROS)
  t.equal(spent, credited, 'all of it is booked before the last 402')
  t.equal(leased, 0)
})

t.test('a limit of 3,000 in a minute answers 3,000 of 4,000 requests', async t => {
  for (;;) {
    const { key, email } = await openAccount(10_000)
    await fleet.command(['account', 'limits', email, '--per-minute', '3000'], fleet.nodes[0])
    await allChangesKnown(email)
    const minute = Math.floor(Date.now() / MINUTE_MS)
    const counts = await stormAll(1000, key)
    if (Math.floor(Date.now() / MINUTE_MS) !== minute) continue
    t.same(counts, { 200: 3000, 429: 1000 })
    return
  }
})

t.test(
  'limits of a key of its own: 400 of 1,200 requests in a minute, whatever its account allows',
  async t => {
    for (const perMinute of [null, 500]) {
      for (;;) {
        const { key, keyId, email } = await openAccount(10_000)
        if (perMinute !== null)
          await fleet.command(['account', 'limits', email, '--per-minute', `${perMinute}`], fleet.nodes[0])
        await fleet.command(['key', 'rules', keyId, '--per-minute', '400'], fleet.nodes[0])
        const other = await allChangesKnown(email)
        const minute = Math.floor(Date.now() / MINUTE_MS)
        const counts = await stormAll(300, key)
        const rest = perMinute === null ? {} : await stormAll(100, other)
        if (Math.floor(Date.now() / MINUTE_MS) !== minute) continue
        t.same(counts, { 200: 400, 429: 800 })
        // A refusal of the key does not count for its account.
        if (perMinute !== null) t.same(rest, { 200: 100, 429: 300 })
        break
      }
    }
  },
)

t.test('a cap of 700 queries answers 700 of 1,200 requests', async t => {
  const { key, keyId, email } = await openAccount(5000)
  await fleet.command(['key', 'cap', keyId, String((700 * PRICE_MICROS) / 1_000_000)], fleet.nodes[1])
  await allChangesKnown(email)
  t.same(await stormAll(300, key), { 200: 700, 402: 500 })
})

t.test('a revocation holds on every node', async t => {
  const { key, keyId } = await openAccount(100_000)
  await known(key)
  await fleet.command(['key', 'revoke', keyId], fleet.nodes[2])
  const acknowledgedMs = performance.now()
  for (const { port } of fleet.nodes) {
    for (;;) {
      const answer = await stormOf(port, 1, 1, lookupWith(key))
      if (answer[401] === 1) break
    }
  }
  // Four answers that are late on purpose, since their key failed, are in this time.
  t.pass(`refused everywhere after ${Math.round(performance.now() - acknowledgedMs)} ms`)
})
