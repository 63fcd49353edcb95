/**
 * A transaction of somebody else holds the rows of one account, as an operator's open session does: the nodes go on with all other
 * accounts, and with that one as soon as it is free. Real nodes on a real PostgreSQL, and a second connection.
 */
import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { AccountError } from '../../src/accounts/errors.ts'
import { openFleetAccounts } from '../../src/fleet/open-fleet-accounts.ts'
import { openPostgresStore } from '../../src/fleet/postgres-store.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import { freshSchema, sharedPostgres, stopSharedPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { FACTS } from './random-calls.ts'
import { errorOf } from './support.ts'
import { TestDatabase } from './test-database.ts'

const FREE_QUERIES = 1000
/** More than any request waits, and less than a statement may take. */
const WAIT_MS = 2000

t.setTimeout(120_000)
t.teardown(stopSharedPostgres)

/** The model over PostgreSQL has rows of other tables held too. */
const ROWS = 'select from account where slot = $1'

t.test('a held row stops one account, not the exchanges of all', async t => {
  const { nodes, other, open, close } = await start(t)
  const [held, free] = [await open('held@example.com'), await open('free@example.com')]
  for (const node of nodes) t.ok(await charge(node, held.secret), 'each node holds some of it')
  await untilSpent(other, held.slot, nodes.length)
  await other.query('begin')
  await other.query(`${ROWS} for update`, [held.slot])

  for (const node of nodes) t.ok(await charge(node, free.secret), 'the other account is leased at once')
  for (const node of nodes) t.ok(await charge(node, held.secret), 'what is held is charged')
  await untilSpent(other, free.slot, nodes.length)
  t.equal((await booked(other, held.slot)).spent, nodes.length * QUERY_PRICE_MICROS, 'nothing more is booked')
  // Far more than a node holds.
  const [node] = nodes
  let charged = 2 * nodes.length
  while (await charge(node, held.secret, WAIT_MS / 10)) charged++
  await stuck(node, held.secret)

  await other.query('rollback')
  for (const node of nodes) {
    // With the next exchange.
    for (const endMs = performance.now() + WAIT_MS; !(await charge(node, held.secret)); ) {
      if (performance.now() > endMs) throw new Error('it is not leased again')
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    charged++
  }
  await close()
  t.same(
    await booked(other, held.slot),
    { spent: charged * QUERY_PRICE_MICROS, leased: 0 },
    'nothing is doubled, and nothing lost',
  )
})

t.test('a held row stops the commands on its account, and no others', async t => {
  const { nodes, other, open } = await start(t)
  const [held, free] = [await open('held@example.com'), await open('free@example.com')]
  await other.query('begin')
  await other.query(`${ROWS} for update`, [held.slot])
  const credit = ({ id }: { id: string }) => ({
    account: id,
    micros: 5_000_000,
    kind: 'operator' as const,
    reference: id,
    note: '',
  })
  const [node, second] = nodes
  const refused = errorOf(node.credit(credit(held)))
  t.ok(await second.credit(credit(free)), 'of another account')
  const error = await refused
  t.type(error, AccountError)
  t.match(String(error), /Another transaction holds rows .* pg_stat_activity/)
  await other.query('rollback')
  t.ok(await node.credit(credit(held)))
  const [{ credited }] = (await other.query('select credited from account where slot = $1', [held.slot])).rows
  t.equal(Number(credited), 5_000_000 + FREE_QUERIES * QUERY_PRICE_MICROS, 'once')
})

t.test('limits and caps stay exact to the query', async t => {
  const database = await TestDatabase.open()
  t.teardown(() => database.close())
  // All of it is in one minute of the database.
  await database.setClock(Math.floor(Date.now() / 60_000) * 60_000 + 1)
  const { nodes, open } = await start(t, database.schema)
  const { id, secret: capped, slot } = await open('limited@example.com')
  const [node] = nodes
  const { key: secret, id: keyId } = await node.createKey(id)
  await node.setLimits(id, { perMinute: 200, perHour: null, perDay: null })
  const [{ id: cappedId }] = node.listKeys(id).filter(key => key.id !== keyId)
  await node.setKeyCap(cappedId, 120 * QUERY_PRICE_MICROS)
  await until(() => nodes.every(one => keyOf(one, secret)?.account.limits !== null))

  let [answered, answeredCapped] = [0, 0]
  const askAll = async (most: number, waitMs = WAIT_MS / 20) => {
    for (const one of nodes)
      for (let asked = 0; asked < most && (await ask(one, capped, waitMs)); asked++) answeredCapped++
    for (const one of nodes)
      for (let asked = 0; asked < most && (await ask(one, secret, waitMs)); asked++) answered++
  }
  await askAll(5)
  for (let round = 0; round < 3; round++) {
    await database.lock(slot)
    await askAll(15)
    await database.lock(null)
    await askAll(3)
  }
  // Until each of them is refused for good.
  await askAll(200, 5 * WAIT_MS)
  t.equal(answeredCapped, 120)
  t.equal(answered + answeredCapped, 200)
})

/** Two nodes, and a connection of somebody else. */
async function start(t: Test, schema = freshSchema()) {
  const { url } = await sharedPostgres()
  const nodes: Accounts[] = []
  const folder = t.testdir({ first: {}, second: {} })
  for (const name of ['first', 'second']) {
    const store = await openPostgresStore(url, { schema })
    const { accounts } = await openFleetAccounts({ dir: join(folder, name), store, facts: FACTS })
    nodes.push(accounts)
  }
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  await other.query(`set search_path = ${schema}`)
  let closed: Promise<unknown> | null = null
  const close = () => (closed ??= Promise.all(nodes.map(node => node.close())))
  t.teardown(async () => {
    await other.end()
    await close()
  })
  /** An account and a key that both nodes know. */
  const open = async (email: string) => {
    const { id } = await nodes[0].createAccount({ email })
    const { key: secret } = await nodes[0].createKey(id)
    await until(() => nodes.every(node => keyOf(node, secret) !== undefined))
    const { rows } = await other.query(
      "select (v->>'slot')::int as slot from event e, jsonb_array_elements(e.events) v where v->>'kind' = 'account' and v->>'id' = $1",
      [id],
    )
    return { id, secret, slot: Number(rows[0].slot) }
  }
  return { nodes, other, open, close }
}

function keyOf(node: Accounts, secret: string) {
  return node.authenticate(Buffer.from(secret), 0, secret.length)
}

/** One query, for which the node may lease; as a request is handled. */
async function charge(node: Accounts, secret: string, waitMs = WAIT_MS): Promise<boolean> {
  const key = keyOf(node, secret)
  if (key === undefined) throw new Error('the key is not known')
  while (!node.charge(key, 0, 1)) {
    if (node.wanted === null || !(await node.lease(node.wanted, waitMs))) return false
  }
  return true
}

/** One request, as it is handled: the limits, then the charge. */
async function ask(node: Accounts, secret: string, waitMs: number): Promise<boolean> {
  const key = keyOf(node, secret)
  if (key === undefined) throw new Error('the key is not known')
  for (;;) {
    if (node.admit(key, 1) === 0) {
      if (node.charge(key, 0, 1)) return true
      node.readmit(key, 1)
    }
    if (node.wanted === null || !(await node.lease(node.wanted, waitMs))) return false
  }
}

/** Waits until so many queries have been booked. */
async function untilSpent(client: pg.Client, slot: number, queries: number): Promise<void> {
  const endMs = performance.now() + 10 * WAIT_MS
  while ((await booked(client, slot)).spent !== queries * QUERY_PRICE_MICROS) {
    if (performance.now() > endMs) throw new Error(`${queries} queries of account ${slot} were not booked`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

/**
 * Waits until requests do not wait any more, since that was in vain for long: many that wait would leave no room for other accounts.
 * @throws Error when they still do after as long as several may wait
 */
async function stuck(node: Accounts, secret: string): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const key = keyOf(node, secret)
    if (key === undefined || node.charge(key, 0, 1) || node.wanted === null)
      throw new Error('nothing is wanted')
    const late = new Promise(resolve => setTimeout(() => resolve('late'), WAIT_MS / 10).unref())
    if ((await Promise.race([node.lease(node.wanted, 100 * WAIT_MS), late])) === false) return
  }
  throw new Error('requests wait as long as they may')
}

async function booked(client: pg.Client, slot: number): Promise<{ spent: number; leased: number }> {
  const { rows } = await client.query('select spent, leased from account where slot = $1', [slot])
  return { spent: Number(rows[0].spent), leased: Number(rows[0].leased) }
}
