/** Four nodes charge like one, and report each other. */

import { copyFileSync, renameSync } from 'node:fs'
import t from 'tap'
import { NO_RULES } from '../../../src/billing/accounts/views.ts'
import { DEFAULT_INDEX } from '../../support/default-index.ts'
import { writeIndex } from '../../support/fixture-index.ts'
import { withinWindow } from '../../support/minute.ts'
import { post, readMetric } from '../../support/post.ts'
import { lookupWith, sendCopies } from '../../support/threads.ts'
import { until } from '../../support/until.ts'
import { Fleet } from './fleet.ts'

t.setTimeout(300_000)

const PRICE_MICROS = 28
const MINUTE_MS = 60_000
const NO_LIMITS = { perMinute: null, perHour: null, perDay: null }

const fleet = await Fleet.start(t, 4)

/** Sends `count` requests to each node at the same time. Returns the answers by status. */
async function sendToAll(count: number, key: string): Promise<Record<number, number>> {
  const counts = await Promise.all(fleet.nodes.map(({ port }) => sendCopies(port, 8, count, lookupWith(key))))
  const all: Record<number, number> = {}
  for (const some of counts)
    for (const [status, n] of Object.entries(some)) all[Number(status)] = (all[Number(status)] ?? 0) + n
  return all
}

/** Waits until every node knows all changes: a new key is the latest one. @returns the key */
async function waitForChanges(id: string): Promise<string> {
  const { secret: key } = await fleet.withAccounts(accounts => accounts.createKey(id))
  await fleet.untilKnown(key)
  return key
}

// Later, nodes have leases of other accounts.
t.test('metrics report a silent node that had money and the dashboard', async t => {
  const [first, second] = fleet.nodes
  const { id, key } = await fleet.openAccount(100_000)
  await until(async () => {
    const answer = await post(first.server.api, '/api/lookup', { zipcode: '90210', apiKey: key })
    return answer.status === 200
  })
  const figures = async () => ({
    silent: await readMetric(second.server.dashboard, 'postrie_fleet_silent_nodes'),
    inDoubt: await readMetric(second.server.dashboard, 'postrie_fleet_in_doubt_dollars'),
    dashboard: await readMetric(second.server.dashboard, 'postrie_fleet_dashboard_up'),
  })
  t.same(await figures(), { silent: 0, inDoubt: 0, dashboard: 1 })

  await first.server.stop('SIGKILL')
  const { leased } = await fleet.readAccount(id)
  t.ok(leased > 0)
  await fleet.postgres.query(
    'update postrie.node set seen_ms = seen_ms - 60000 where id = (select dashboard_node from postrie.fleet)',
  )
  await until(async () => (await figures()).silent === 1)
  t.same(await figures(), { silent: 1, inDoubt: leased / 1e6, dashboard: 0 })

  await fleet.restart(first)
  await until(async () => (await figures()).silent === 0)
  t.same(await figures(), { silent: 0, inDoubt: 0, dashboard: 1 })
})

t.test('a balance of 2,000 queries answers 2,000 of 3,200 requests', async t => {
  const { id, key } = await fleet.openAccount(2000)
  t.same(await sendToAll(800, key), { 200: 2000, 402: 1200 })
  const { credited, spent, leased } = await fleet.readAccount(id)
  t.equal(credited, 2000 * PRICE_MICROS)
  t.equal(spent, credited, 'all of it is booked before the last 402')
  t.equal(leased, 0)
})

t.test('a limit of a key answers 400 of 1,200 requests, whatever its account allows', async t => {
  for (const perMinute of [null, 500]) {
    const [counts, rest] = await withinWindow(MINUTE_MS, async () => {
      const { id, key, keyId } = await fleet.openAccount(10_000)
      await fleet.withAccounts(async accounts => {
        await accounts.setLimits(id, { ...NO_LIMITS, perMinute })
        await accounts.setKeyRules(keyId, { ...NO_RULES, limits: { ...NO_LIMITS, perMinute: 400 } })
      })
      const other = await waitForChanges(id)
      return [await sendToAll(300, key), perMinute === null ? {} : await sendToAll(100, other)]
    })
    t.same(counts, { 200: 400, 429: 800 })
    // A refusal of the key does not count for its account.
    if (perMinute !== null) t.same(rest, { 200: 100, 429: 300 })
  }
})

t.test('a cap of 700 queries answers 700 of 1,200 requests', async t => {
  const { id, key, keyId } = await fleet.openAccount(5000)
  await fleet.withAccounts(accounts => accounts.setKeyCap(keyId, 700 * PRICE_MICROS))
  await waitForChanges(id)
  t.same(await sendToAll(300, key), { 200: 700, 402: 500 })
})

t.test('at rest all nodes show one balance', async () => {
  const { email, key } = await fleet.openAccount(2000)
  await sendToAll(100, key)
  await fleet.command(['account', 'credit', email, '5', '--reference', 'rest'], fleet.nodes[1])
  const left = 5 + ((2000 - 100 * fleet.nodes.length) * PRICE_MICROS) / 1_000_000
  for (const { server } of fleet.nodes)
    await until(async () => (await post(server.api, '/api/balance', { apiKey: key })).json.balance === left)
})

t.test('a revocation holds on every node', async t => {
  const { key, keyId } = await fleet.openAccount(100_000)
  await fleet.command(['key', 'revoke', keyId], fleet.nodes[2])
  const acknowledgedMs = performance.now()
  for (const { port } of fleet.nodes) {
    for (;;) {
      const answer = await sendCopies(port, 1, 1, lookupWith(key))
      if (answer[401] === 1) break
    }
  }
  // The time includes four answers that are delayed on purpose, because their key failed.
  t.pass(`refused everywhere after ${Math.round(performance.now() - acknowledgedMs)} ms`)
})

// It adds a fifth node.
t.test('every node says which index it serves', async t => {
  const INDEX_FILE = writeIndex(t.testdir())
  const { server } = await fleet.add({ INDEX_FILE })
  const builds = async () => {
    const rows = await fleet.postgres.query("select index_build from postrie.node where address like '%:%'")
    return new Set(rows.map(({ index_build }) => index_build)).size
  }
  await until(async () => (await builds()) === 2)
  copyFileSync(DEFAULT_INDEX, `${INDEX_FILE}.next`)
  renameSync(`${INDEX_FILE}.next`, INDEX_FILE)
  server.child.kill('SIGHUP')
  await until(async () => (await builds()) === 1)
})
