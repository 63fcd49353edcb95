/** Replays the calls of a walk on PostgreSQL. The functions of `src/billing/fleet/sql` must do what the rules in memory did. */
import assert from 'node:assert/strict'
import { FencedError, RejectedError } from '../../../src/billing/fleet/database-errors.ts'
import type { ExchangeAnswer } from '../../../src/billing/fleet/messages.ts'
import type { LedgerEvent } from '../../../src/billing/ledger/event.ts'
import { type Call, NODES, OPENING, START_MS } from './checker.ts'
import { credit } from './support.ts'
import type { TestDatabase } from './test-database.ts'

const idOf = (node: number): string => `00000000-0000-4000-8000-${`${node}`.padStart(12, '0')}`

/** @throws AssertionError for the first call whose answer or effect differs */
export async function replay(database: TestDatabase, calls: readonly Call[]): Promise<void> {
  const { store } = database
  await database.empty()
  await database.setClock(START_MS)
  for (const [at, call] of calls.entries()) {
    await database.setClock(call.after.nowMs)
    await run(database, call)
    if (at === NODES - 1) {
      for (const [after, events] of OPENING.entries())
        await store.commit({ node: idOf(0), epoch: 1 }, after, events)
      await database.save()
    }
    if (at >= NODES - 1) await expectAlike(database, call)
  }
  assert.deepEqual(await database.faults(), [])
}

async function run(
  database: TestDatabase,
  { name, node, queries, message, answer, after }: Call,
): Promise<void> {
  const { store } = database
  const id = idOf(node)
  switch (name) {
    case 'start': {
      const epoch = await store.begin(id)
      assert.equal(epoch, after.nodes[node].epoch)
      const counts = queries === 0 ? [] : [{ key: 1, usage: 0, queries }]
      return assert.deepEqual(await store.settle({ node: id, epoch }, counts), after.lacking)
    }
    case 'exchange': {
      if (message === null) return
      const found = await store.exchange({ node: id, epoch: message.epoch }, message).catch(refusal)
      assert.equal(found === null, answer === null, 'refused')
      if (found === null || answer === null) return
      assert.equal(found.recalls.length > 0, answer.isRecalled, 'recalled')
      assert.equal(found.sequence, OPENING.length + answer.sequence)
      const expected = answer.grants.filter(
        grant => grant.granted > 0 || found.grants.some(({ holder, kind }) => isOf(grant, holder, kind)),
      )
      const order = (a: { kind: number }, b: { kind: number }) => a.kind - b.kind
      return assert.deepEqual(found.grants.toSorted(order), expected.toSorted(order))
    }
    case 'giveUp':
      await database.query('update node set seen_ms = now_ms() where id <> $1', [id])
      await store.writeOff(id)
      return
    case 'commit': {
      const sequence = after.committed.length
      const micros = after.committed[sequence - 1]
      const { epoch } = after.nodes[node]
      await store.commit({ node: id, epoch }, OPENING.length + sequence - 1, [change(micros, sequence)])
      return
    }
    case 'copy':
      return database.save()
    case 'restore':
      await database.restore()
      await database.query('update node set seen_ms = now_ms()')
      return
  }
}

function change(micros: number, sequence: number): LedgerEvent {
  const added = credit(0, Math.abs(micros), `change${sequence}`)
  if (micros > 0) return added
  return { ...added, kind: 'adjust', adjust: 'refund', takenMicros: -micros } as LedgerEvent
}

/** Compares counters and reported usage. The database begins a period only when somebody asks. */
async function expectAlike(database: TestDatabase, { after, name, node }: Call): Promise<void> {
  const rows = await database.query(
    'select holder, kind, period, most, used, leased from counter where most is not null',
  )
  const found = rows.map(row =>
    Object.fromEntries(Object.entries(row).map(([field, n]) => [field, Number(n)])),
  )
  for (const counter of after.counters) {
    const row = found.find(({ holder, kind }) => isOf(counter, holder, kind))
    const isEarlier = Number(row?.period) < counter.period
    const present = isEarlier ? { ...row, period: counter.period, used: 0, leased: 0 } : row
    assert.deepEqual(present, counter, `after ${name} ${node}`)
  }
  const usage = await database.query('select node, queries from node_usage')
  for (const [at, queries] of after.usage.entries())
    assert.equal(Number(usage.find(row => row.node === idOf(at))?.queries ?? 0), queries)
}

function isOf(one: { holder: number; kind: number }, holder: unknown, kind: unknown): boolean {
  return one.holder === holder && one.kind === kind
}

function refusal(error: unknown): ExchangeAnswer | null {
  if (error instanceof FencedError || error instanceof RejectedError) return null
  throw error
}
