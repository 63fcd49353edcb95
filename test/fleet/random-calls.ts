/** Random calls of a fleet's nodes, sensible ones and faulty ones, made from what the store in memory holds. */
import type { Exchange, FleetStore, KeyCounts, NodeIdentity, Return, Want } from '../../src/fleet/store.ts'
import type { LedgerEvent } from '../../src/ledger/event.ts'
import { QUERY_PRICE_MICROS } from '../../src/limits.ts'
import type { MemoryStore } from './memory-store.ts'
import { capHeldMicros, heldMicros, type NodeRow, noQueries } from './memory-tables.ts'

const PRICE = QUERY_PRICE_MICROS

/** A call that two stores are to answer alike. */
export interface Call {
  name: string
  run: (store: FleetStore) => Promise<unknown>
}

type Random = (below: number) => number

export const FACTS = { address: '127.0.0.1:8080', version: '1', indexBuild: 'a' }
const NODES = 4
const DAY_MS = 86_400_000

/** How far the clock goes: mostly a little, sometimes over the end of an hour, a day or a month, or past a node's deadline. */
const STEPS_MS = [1, 900, 7000, 45_000, 61_000, 3_600_000, DAY_MS + 1, 31 * DAY_MS]

export function nodeId(index: number): string {
  return `11111111-0000-4000-8000-00000000000${index}`
}

export function randomStepMs(random: Random): number {
  return STEPS_MS[Math.min(random(STEPS_MS.length), random(STEPS_MS.length))] ?? 1
}

export function randomCall(random: Random, memory: MemoryStore): Call {
  const { tables } = memory
  const id = nodeId(random(NODES))
  const node = tables.nodes.get(id)
  if (node === undefined || random(40) === 0) {
    return { name: `begin ${id}`, run: store => store.begin(id, FACTS) }
  }
  const epoch = random(30) === 0 ? node.epoch - 1 : node.epoch
  const identity = { node: id, epoch }
  if (!node.isSettled && random(5) > 0) return settle(random, memory, node, identity)
  const kind = random(20)
  if (kind < 12) return exchange(random, memory, node, identity)
  if (kind < 16) return commit(random, memory, identity)
  if (kind === 16) {
    const account = random(tables.accounts.size + 1)
    const ms = random(3) * 1000
    return { name: `recall ${account}`, run: store => store.recall(identity, account, ms) }
  }
  if (kind === 17 && random(8) === 0) return { name: 'write off all', run: store => store.writeOffSilent() }
  if (kind === 17 && random(2) === 0) return { name: `write off ${id}`, run: store => store.writeOff(id) }
  if (kind === 18) {
    const applied = random(tables.events.length + 1)
    const facts = { ...FACTS, indexBuild: `b${random(9)}` }
    return { name: 'describe', run: store => store.describe(identity, facts, applied) }
  }
  return { name: 'status', run: store => store.status() }
}

function settle(random: Random, memory: MemoryStore, node: NodeRow, identity: NodeIdentity): Call {
  const counts = [...memory.tables.keys.keys()]
    .filter(() => random(6) > 0)
    .map(key => ({ key, queries: grown(random, memory, node, key, 30) }))
  return { name: `settle ${JSON.stringify(counts)}`, run: store => store.settle(identity, counts) }
}

function exchange(random: Random, memory: MemoryStore, node: NodeRow, identity: NodeIdentity): Call {
  const { tables } = memory
  const offset = random(25) === 0 ? random(4) - 1 : 1
  const accounts = [...tables.accounts.keys()]
  const keys = [...tables.keys.keys()]
  const reports: KeyCounts[] = keys
    .filter(() => random(2) === 0)
    .map(key => ({ key, queries: grown(random, memory, node, key, 60) }))
  const body: Exchange = {
    number: Math.max(1, node.exchangeNumber + offset),
    reports,
    admitted: accounts.filter(() => random(3) === 0).map(account => ({ account, queries: random(4) })),
    returns: accounts.filter(() => random(4) === 0).map(account => returned(random, memory, node, account)),
    wants: Array.from({ length: random(4) }, () => want(random, accounts, keys, memory)),
  }
  return { name: `exchange ${JSON.stringify(body)}`, run: store => store.exchange(identity, body) }
}

/** Counts that the lease covers, nearly always; sometimes those of long ago, or more than is held. */
function grown(random: Random, memory: MemoryStore, node: NodeRow, slot: number, faulty: number): number[] {
  const key = memory.tables.keys.get(slot)
  const known = node.usage.get(slot) ?? noQueries()
  if (random(9) === 0) return known.map(count => Math.max(0, count - random(2)))
  const held = heldMicros(key?.account.leases.get(node.id)) / PRICE
  const share = Math.floor(held / 3)
  const more = random(faulty) === 0 ? held + 1 : random(share + 1)
  const usage = random(known.length)
  const counts = known.map((count, at) => (at === usage ? count + more : count))
  // Classes at the end that were never used may be left out.
  return random(3) > 0 ? counts : counts.slice(0, counts.findLastIndex(count => count > 0) + 1)
}

function returned(random: Random, memory: MemoryStore, node: NodeRow, account: number): Return {
  const row = memory.tables.accounts.get(account)
  const held = heldMicros(row?.leases.get(node.id)) / PRICE
  const queries = random(40) === 0 ? held + 1 : random(Math.floor(held / 2) + 1)
  const caps = [...memory.tables.keys.values()]
    .filter(key => key.account === row && random(2) === 0)
    .map(key => ({ key: key.slot, micros: random(capHeldMicros(key, node.id) + 2 * PRICE) }))
  return { account, micros: queries * PRICE, admissions: random(4), caps }
}

function want(
  random: Random,
  accounts: readonly number[],
  keys: readonly number[],
  memory: MemoryStore,
): Want {
  const key = random(4) === 0 ? null : (keys[random(keys.length)] ?? null)
  const ofKey = key === null ? undefined : memory.tables.keys.get(key)?.account.slot
  return {
    account: ofKey ?? accounts[random(accounts.length)] ?? 0,
    key,
    neededMicros: random(3) === 0 ? 0 : random(20) * PRICE,
    aheadMicros: random(2) * random(3000),
    neededAdmissions: random(5),
    aheadAdmissions: random(10),
  }
}

function commit(random: Random, memory: MemoryStore, identity: NodeIdentity): Call {
  const { tables } = memory
  const after = tables.events.length - (random(20) === 0 ? 1 : 0)
  const events = randomEvents(random, memory)
  return { name: `commit ${JSON.stringify(events)}`, run: store => store.commit(identity, after, events) }
}

function randomEvents(random: Random, memory: MemoryStore): LedgerEvent[] {
  const { tables } = memory
  const accounts = [...tables.accounts.values()].flatMap(({ slot, isKey }) => (isKey ? [] : [slot]))
  const slots = accounts.length + tables.keys.size
  const keys = [...tables.keys.keys()]
  const account = accounts[random(accounts.length)]
  const key = keys[random(keys.length)]
  const text = { reference: `r${tables.events.length}`, note: '' }
  const micros = (1 + random(60)) * PRICE
  if (account === undefined || (accounts.length < 4 && random(4) === 0)) {
    return [
      { kind: 'account', slot: slots, id: `a${slots}`, email: `${slots}@example.com` },
      { kind: 'credit', account: slots, micros, debtPaidMicros: 0, credit: 'free', ...text },
    ]
  }
  if (key === undefined || (keys.length < 6 && random(4) === 0)) {
    return [{ kind: 'key', slot: slots, id: `k${slots}`, account, label: 'a "b" \\ 😀', start: '', hash: '' }]
  }
  switch (random(7)) {
    case 0:
      return [{ kind: 'cap', key, micros: random(4) === 0 ? null : random(40) * PRICE }]
    case 1: {
      const limit = () => (random(2) === 0 ? null : 1 + random(20))
      const limits = random(4) === 0 ? null : { perMinute: limit(), perHour: limit(), perDay: limit() }
      return [{ kind: 'limits', account, limits }]
    }
    case 2: {
      const takenMicros = random(micros + 1)
      return [{ kind: 'adjust', account, micros, takenMicros, adjust: 'refund', ...text }]
    }
    case 3:
      return [{ kind: 'revoke', key }]
    case 4: {
      const limits = random(4) === 0 ? null : { perMinute: 1 + random(20), perHour: null, perDay: 50 }
      return [{ kind: 'rules', key, expiresMs: null, limits, endpoints: null, addresses: null }]
    }
    default: {
      const debtPaidMicros = random(4) === 0 ? random(micros) : 0
      return [{ kind: 'credit', account, micros, debtPaidMicros, credit: 'payment', ...text }]
    }
  }
}
