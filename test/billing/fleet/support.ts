import { randomUUID } from 'node:crypto'
import { RESERVE_QUERIES_MIN, reserveQueriesOf } from '../../../src/billing/fleet/active-account.ts'
import {
  type FleetDatabase,
  openFleetDatabase,
  type PostgresOptions,
} from '../../../src/billing/fleet/fleet-database.ts'
import type {
  Exchange,
  ExchangeAnswer,
  KeyCount,
  NodeIdentity,
  Want,
} from '../../../src/billing/fleet/messages.ts'
import { openFleetAccounts } from '../../../src/billing/fleet/open-fleet-accounts.ts'
import type { LedgerEvent } from '../../../src/billing/ledger/event.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { CHARGED } from '../../../src/service/endpoints/table.ts'
import { freshSchema, sharedPostgres } from '../../support/postgres.ts'

/** Opens a node in this process, whose address is not one of a server. */
export function openNode(
  options: Omit<Parameters<typeof openFleetAccounts>[0], 'usageClasses' | 'facts'>,
): ReturnType<typeof openFleetAccounts> {
  const facts = { address: 'a test', version: '1', indexBuild: 'a' }
  return openFleetAccounts({ usageClasses: CHARGED, facts, ...options })
}

/** Opens a store in its own schema, on the server that the tests of a process share. */
export async function freshStore(
  options: PostgresOptions = {},
): Promise<{ store: FleetDatabase; schema: string }> {
  const schema = options.schema ?? freshSchema()
  const { url } = await sharedPostgres()
  return { store: await openFleetDatabase(url, { ...options, schema }), schema }
}

export async function joinFleet(store: FleetDatabase, node: string = randomUUID()): Promise<NodeIdentity> {
  const epoch = await store.begin(node)
  await store.settle({ node, epoch }, [])
  return { node, epoch }
}

/** Opens `count` accounts with a key each: account `2 i`, key `2 i + 1`. Returns the newest sequence. */
export async function fill(
  store: FleetDatabase,
  identity: NodeIdentity,
  count: number,
  queries: number,
): Promise<number> {
  for (let at = 0; at < count; at++) {
    const events = accountEvents(2 * at, queries * QUERY_PRICE_MICROS)
    await store.commit(identity, 2 * at, events)
    await store.commit(identity, 2 * at + 1, [keyOf(2 * at + 1, 2 * at)])
  }
  return 2 * count
}

export function accountEvents(slot: number, micros: number): LedgerEvent[] {
  return [
    { kind: 'account', slot, id: `a${slot}`, email: `${slot}@example.com` },
    credit(slot, micros, `c${slot}`),
  ]
}

export function keyOf(slot: number, account: number): LedgerEvent {
  return { kind: 'key', slot, id: `k${slot}`, account, label: '', start: '', hash: '' }
}

export function credit(account: number, micros: number, reference: string): LedgerEvent {
  return { kind: 'credit', account, micros, debtPaidMicros: 0, credit: 'operator', reference, note: '' }
}

export function exchangeOf(number: number, parts: Partial<Exchange>): Exchange {
  return { number, reports: [], taken: [], wants: [], ...parts }
}

/** Returns a want of a balance, and of the cap of `key`. */
export function wantsOf(account: number, queries: number, key: number | null = null): Want[] {
  const want = { account, needed: queries * QUERY_PRICE_MICROS, others: 0, ahead: 0 }
  const ofBalance = { ...want, holder: account, kind: 0 }
  return key === null ? [ofBalance] : [ofBalance, { ...want, holder: key, kind: 1 }]
}

/** Returns the granted micros of a balance. */
export function grantedOf({ grants }: ExchangeAnswer, account: number): number {
  return grants.find(({ holder, kind }) => holder === account && kind === 0)?.granted ?? 0
}

export function usedOf(key: number, queries: number): KeyCount {
  return { key, usage: 0, queries }
}

/** Returns the error of a call; undefined when there is none. */
export async function errorOf(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
    return undefined
  } catch (error) {
    return error
  }
}

/** Returns the maximum that a node holds of an account after an exchange, without waiting requests. */
export function heldMicrosMax(recentMicros: number): number {
  return (reserveQueriesOf(recentMicros) + RESERVE_QUERIES_MIN) * QUERY_PRICE_MICROS
}
