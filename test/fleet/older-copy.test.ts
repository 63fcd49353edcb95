/** The database is replaced by an older copy of itself while a node has gone on: what was answered is booked, and to nobody else. */
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { stopSharedPostgres, type TestPostgres } from '../support/postgres.ts'
import { stormOf } from '../support/threads.ts'
import { Fleet, type FleetNode } from './fleet.ts'
import { fill, joined, usedOf } from './support.ts'
import { TestDatabase } from './test-database.ts'

const PRICE_MICROS = 28

t.setTimeout(120_000)
t.teardown(stopSharedPostgres)

t.test(
  'a journal settles what the copy does not know to be leased: from what is free, and never more',
  async t => {
    const database = await TestDatabase.open()
    t.teardown(() => database.close())
    const { store } = database
    const node = await joined(store)
    await fill(store, node, 3, 100)
    const epoch = await store.begin(node.node)
    const identity = { node: node.node, epoch }
    // The second account has two keys, and uses up more than it has.
    const counts = [usedOf(1, 40), usedOf(3, 130)]
    const found: unknown[] = []
    await store.settle(identity, counts, lacking => found.push(lacking))
    t.same(found, [{ coveredMicros: 140 * PRICE_MICROS, forgivenMicros: 30 * PRICE_MICROS }])
    const spent = await database.query(
      'select slot, spent / 28 as queries, leased from account order by slot',
    )
    t.same(
      spent.map(({ slot, queries, leased }) => [slot, Number(queries), Number(leased)]),
      [
        [0, 40, 0],
        [2, 100, 0],
        [4, 0, 0],
      ],
    )
    const { writeOffs } = await store.status()
    t.same(
      writeOffs.map(({ account, micros }) => [account, micros]),
      [['a2', 30 * PRICE_MICROS]],
      'what was forgiven is an entry that everyone can see',
    )
    await store.settle(identity, counts, lacking => found.push(lacking))
    t.equal(found.length, 1, 'once')
    t.same(await database.faults(), [])
  },
)

t.test('what nodes have answered since is booked when they start again, and to nobody else', async t => {
  const fleet = await Fleet.start(t, 1)
  const [node] = fleet.nodes
  const { id, key } = await opened(fleet, node)
  t.same(await stormOf(node.port, 4, 50, lookupWith(key)), { 200: 50 })
  await keep(fleet.postgres)
  t.same(await stormOf(node.port, 4, 400, lookupWith(key)), { 200: 400 })
  const exited = once(node.server.child, 'exit')
  await putBack(fleet.postgres)
  t.same((await exited)[0], 1, 'it does not go on with leases that the database does not know')
  await fleet.restart(node)
  t.match(node.server.output.stderr, /replaced by an older copy: \d+ micro-dollars were booked/)

  const lost = await opened(fleet, node)
  t.same(await stormOf(node.port, 4, 100, lookupWith(lost.key)), { 200: 100 })
  t.same(await stormOf(node.port, 4, 50, lookupWith(key)), { 200: 50 })
  await node.server.stop('SIGKILL')
  await putBack(fleet.postgres)
  // The first account and key after the copy: they have the slots of those that are lost.
  const other = await opened(fleet)
  await t.rejects(fleet.restart(node), /the database is older than this node.*postrie node recover/s)
  const recovered = await fleet.command(['node', 'recover', join(node.folder, 'node')])
  t.match(recovered, { queries: 500, unknownKeys: 1, unknownQueries: 100 })
  t.equal((await fleet.booked(id)).spent, 500 * PRICE_MICROS)
  t.equal((await fleet.booked(other.id)).spent, 0)
})

let accounts = 0

async function opened(fleet: Fleet, node?: FleetNode): Promise<{ id: string; key: string }> {
  const email = `copy${accounts++}@example.com`
  const { id } = await fleet.command(['account', 'create', email], node)
  const { key } = await fleet.command(['key', 'create', email], node)
  return { id, key }
}

function lookupWith(apiKey: string): { path: string; body: string } {
  return { path: '/api/lookup', body: JSON.stringify({ apiKey, zipcode: '90210' }) }
}

/** Keeps all rows as they are, at one moment. */
async function keep(postgres: TestPostgres): Promise<void> {
  await postgres.query(`begin isolation level repeatable read;
    do $$ declare name text; begin
    create schema kept;
    for name in select tablename from pg_tables where schemaname = 'postrie' loop
      execute format('create table kept.%1$I as table postrie.%1$I', name);
    end loop; end $$;
    commit`)
}

/** Replaces all rows by those that were kept. */
async function putBack(postgres: TestPostgres): Promise<void> {
  await postgres.query(`do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'postrie' loop
      execute format('truncate postrie.%1$I', name);
      execute format('insert into postrie.%1$I overriding system value table kept.%1$I', name);
    end loop; end $$`)
}
