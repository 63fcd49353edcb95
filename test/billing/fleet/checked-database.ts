/** The rules of `src/billing/fleet/sql`, written again as functions over plain objects, so that every order of steps can be walked in memory. */
import type {
  CounterGrant,
  KeyCount,
  TakenOut,
  UncoveredUsage,
  Want,
} from '../../../src/billing/fleet/messages.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { monthOf, monthStartMs } from '../../../src/platform/time.ts'

const PERIODS_MS = [0, 0, 60_000, 3_600_000, 86_400_000]
const periodOf = (kind: number, ms: number): number => {
  if (kind === 1) return monthOf(ms)
  return kind === 0 ? 0 : Math.floor(ms / PERIODS_MS[kind])
}
const endMs = ({ kind, period }: Counter): number =>
  kind === 1 ? monthStartMs(period + 1) : (period + 1) * PERIODS_MS[kind]
const LIVE_MS = 30_000

interface Counter {
  holder: number
  kind: number
  period: number
  most: number
  used: number
  leased: number
}

type Lease = { holder: number; kind: number; node: number; period: number; amount: number }

interface NodeRow {
  epoch: number
  number: number
  answer: Answer | null
  isSettled: boolean
  isWrittenOff: boolean
  seenMs: number
}

export type Answer = { grants: CounterGrant[]; isRecalled: boolean; sequence: number }

/** State of the database. The only account has slot 0, and its key slot 1. */
export interface State {
  nowMs: number
  /** Credits and debits (negative) after the opening. */
  committed: number[]
  counters: Counter[]
  leases: Lease[]
  nodes: NodeRow[]
  /** Reported queries by node. */
  usage: number[]
  recalled: boolean[]
  /** Queries that are never charged. */
  waived: number
  /** Usage beyond the known leases that the last start has reported. */
  lacking: UncoveredUsage
}

export const NO_LACKING: UncoveredUsage = { coveredMicros: 0, forgivenMicros: 0 }

/** Copies a state. Answers never change. */
export function copyState(state: State): State {
  return {
    ...state,
    committed: [...state.committed],
    counters: state.counters.map(counter => ({ ...counter })),
    leases: state.leases.map(lease => ({ ...lease })),
    nodes: state.nodes.map(row => ({ ...row })),
    usage: [...state.usage],
    recalled: [...state.recalled],
  }
}

export type Message = { epoch: number; number: number; reports: KeyCount[]; taken: TakenOut[]; wants: Want[] }

export class Refused extends Error {}

const unitOf = (kind: number): number => (kind < 2 ? QUERY_PRICE_MICROS : 1)
const whole = (amount: number, unit: number): number => Math.floor(amount / unit) * unit

function leaseOf({ leases }: State, { holder, kind, period }: Counter, node: number): Lease {
  const found = leases.find(l => l.holder === holder && l.kind === kind && l.node === node)
  if (found?.period === period) return found
  const lease = { holder, kind, node, period, amount: 0 }
  if (found === undefined) leases.push(lease)
  else Object.assign(found, lease)
  return found ?? lease
}

/** Deciding functions. A test replaces one by a faulty one. */
export const RULES = {
  beginPeriods({ counters, nowMs }: State): void {
    for (const counter of counters) {
      const period = periodOf(counter.kind, nowMs)
      if (counter.period < period) Object.assign(counter, { period, used: 0, leased: 0 })
    }
  },
  report(state: State, node: number, counts: readonly KeyCount[]): void {
    const queries = Math.max(state.usage[node], ...counts.map(count => count.queries))
    const micros = (queries - state.usage[node]) * QUERY_PRICE_MICROS
    state.usage[node] = queries
    for (const counter of state.counters.filter(({ kind }) => kind < 2)) {
      const lease = leaseOf(state, counter, node)
      if (counter.kind === 0 && micros > lease.amount) throw new Refused('reports more than it holds')
      const held = Math.min(micros, lease.amount)
      lease.amount -= held
      counter.leased -= held
      counter.used += micros
    }
  },
  takeBack(state: State, node: number, taken: readonly TakenOut[]): void {
    for (const { holder, kind, used, returned } of taken) {
      const counter = state.counters.find(c => c.holder === holder && c.kind === kind)
      if (counter === undefined) continue
      const lease = leaseOf(state, counter, node)
      if (kind === 0 && used + returned > lease.amount) throw new Refused('returns more than it holds')
      const amount = Math.min(used + returned, lease.amount)
      counter.used += Math.min(used, lease.amount)
      counter.leased -= amount
      lease.amount -= amount
    }
  },
  expire(state: State): void {
    for (const lease of state.leases) {
      if (lease.kind < 2 || state.nodes[lease.node].seenMs >= state.nowMs - LIVE_MS) continue
      const counter = state.counters.find(c => c.holder === lease.holder && c.kind === lease.kind)
      if (counter?.period === lease.period)
        Object.assign(counter, { used: counter.used + lease.amount, leased: counter.leased - lease.amount })
      lease.amount = 0
    }
  },
  grant(state: State, node: number, wants: readonly Want[]): Map<Counter, number> {
    const { counters, nodes, leases, nowMs } = state
    const live = nodes.filter((row, at) => at === node || row.seenMs > nowMs - LIVE_MS).length
    const rows = wants.flatMap(want => {
      const counter = counters.find(c => c.holder === want.holder && c.kind === want.kind)
      if (counter === undefined) return []
      return { want, counter, free: counter.most - counter.used - counter.leased }
    })
    const refused = rows.filter(({ want, free }) => want.needed > 0 && want.needed > free)
    for (const { want, counter, free } of refused) {
      const others = leases.filter(
        l =>
          l.holder === counter.holder &&
          l.kind === counter.kind &&
          l.period === counter.period &&
          l.node !== node,
      )
      if (want.needed > free + others.reduce((sum, { amount }) => sum + amount, 0)) continue
      for (const lease of others) if (lease.amount > 0) state.recalled[lease.node] = true
    }
    if (refused.length > 0) return new Map()
    return new Map(
      rows.map(({ want, counter, free }) => {
        const unit = unitOf(want.kind)
        const waited = want.needed + Math.min(want.others, Math.max(0, whole(free - want.needed, unit)))
        const granted = waited + Math.min(want.ahead, Math.max(0, whole((free - waited) / 2 / live, unit)))
        counter.leased += granted
        leaseOf(state, counter, node).amount += granted
        return [counter, granted]
      }),
    )
  },
  /** Returns the answer of the last exchange to a repetition; null for a new exchange. */
  repeated({ nodes }: State, node: number, { number }: Message): Answer | null {
    const row = nodes[node]
    if (number === row.number) return row.answer
    if (number !== row.number + 1) throw new Refused(`exchange ${number} follows ${row.number}`)
    return null
  },
  /** Begins the next epoch of a node, reports its ledger, and ends its leases. */
  recover(state: State, node: number, queries: number): void {
    const row = state.nodes[node]
    const [balance] = state.counters
    const lease = leaseOf(state, balance, node)
    const ahead = queries - state.usage[node]
    state.lacking = NO_LACKING
    if (row.isWrittenOff) {
      state.usage[node] = Math.max(queries, state.usage[node])
      state.waived += Math.max(0, ahead)
    } else if (ahead > 0) {
      const free = balance.most - balance.used - balance.leased
      const charged = Math.min(ahead, whole(lease.amount + free, QUERY_PRICE_MICROS) / QUERY_PRICE_MICROS)
      const missing = Math.max(0, charged * QUERY_PRICE_MICROS - lease.amount)
      lease.amount += missing
      balance.leased += missing
      state.waived += ahead - charged
      state.lacking = { coveredMicros: missing, forgivenMicros: (ahead - charged) * QUERY_PRICE_MICROS }
      state.usage[node] += ahead - charged
      RULES.report(state, node, [{ key: 1, usage: 0, queries }])
    }
    RULES.release(state, node)
    Object.assign(row, { epoch: row.epoch + 1, number: 0, answer: null })
    Object.assign(row, { isSettled: true, isWrittenOff: false, seenMs: state.nowMs })
    state.recalled[node] = false
  },
  /** Ends the leases of a node. Money is free again, and windows count as used. */
  release(state: State, node: number): void {
    for (const lease of state.leases.filter(l => l.node === node)) {
      const counter = state.counters.find(c => c.holder === lease.holder && c.kind === lease.kind)
      if (counter?.period === lease.period) {
        counter.leased -= lease.amount
        if (lease.kind >= 2) counter.used += lease.amount
      }
      lease.amount = 0
    }
  },
}

export type Rules = typeof RULES

/** Commits a credit, or a debit of free credit, which is negative. */
export function commit(state: State, micros: number): void {
  state.committed.push(micros)
  state.counters[0].most += micros
}

export function exchange(rules: Rules, state: State, node: number, message: Message): Answer {
  const row = state.nodes[node]
  if (row.epoch !== message.epoch || !row.isSettled) throw new Refused('the epoch has ended')
  const known = rules.repeated(state, node, message)
  if (known !== null) {
    row.seenMs = state.nowMs
    return known
  }
  rules.beginPeriods(state)
  rules.report(state, node, message.reports)
  rules.takeBack(state, node, message.taken)
  if (message.wants.length > 0) rules.expire(state)
  const granted =
    message.wants.length > 0 ? rules.grant(state, node, message.wants) : new Map<Counter, number>()
  const grants = state.counters.map(counter => ({
    ...{ holder: counter.holder, kind: counter.kind, granted: granted.get(counter) ?? 0 },
    elsewhere: counter.most - counter.used - leaseOf(state, counter, node).amount,
    validMs: counter.kind === 0 ? null : endMs(counter) - state.nowMs,
  }))
  row.answer = { grants, isRecalled: state.recalled[node], sequence: state.committed.length }
  row.number = message.number
  row.seenMs = state.nowMs
  state.recalled[node] = false
  return row.answer
}
