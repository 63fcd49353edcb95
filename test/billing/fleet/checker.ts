/**
 * Walks every order of steps of three nodes and their database up to a bound: requests, exchanges whose message or answer is lost,
 * repeated or late, credits and debits, killed nodes, given-up leases, silence, the end of a minute, and an older copy of the database, taken
 * at any step. Nodes run the code of `src`: the hot path, and the counters that a node leases. Balance and cap pay for three queries, and two a
 * minute are allowed.
 */
import { Charging, type Shortfall } from '../../../src/billing/accounts/charging/charging.ts'
import { SharedKey } from '../../../src/billing/accounts/charging/shared-key.ts'
import {
  CELLS_PER_WINDOW,
  ELSEWHERE,
  LEFT,
  WINDOWS_CELLS,
} from '../../../src/billing/accounts/live/counter.ts'
import { liveParts, WORD } from '../../../src/billing/accounts/live/live-layout.ts'
import { LiveState } from '../../../src/billing/accounts/live/live-state.ts'
import { ActiveAccount } from '../../../src/billing/fleet/active-account.ts'
import { type NodeCounters, nodeCounters } from '../../../src/billing/fleet/node-counters.ts'
import { wantsOf } from '../../../src/billing/fleet/wants.ts'
import { Book } from '../../../src/billing/ledger/book/book.ts'
import type { LedgerEvent } from '../../../src/billing/ledger/event.ts'
import { MeterRows } from '../../../src/billing/ledger/meter/meter-layout.ts'
import type { Timeline } from '../../../src/billing/ledger/timeline.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { monthOf } from '../../../src/platform/time.ts'
import {
  type Answer,
  commit,
  copyState,
  exchange,
  type Message,
  NO_LACKING,
  Refused,
  RULES,
  type Rules,
  type State,
} from './checked-database.ts'
import { accountEvents, keyOf } from './support.ts'

export const NODES = 3
const SLOTS = 2
const QUERIES = 3
const PER_MINUTE = 2
export const START_MS = Date.UTC(2026, 0, 1)
const MINUTE_MS = 60_000
/** Time after which a node counts as silent. */
const PASS_MS = 31_000
const WRITE_OFF_MS = 24 * 60 * MINUTE_MS

const CREDIT_MICROS = QUERIES * QUERY_PRICE_MICROS
const limits = { perMinute: PER_MINUTE, perHour: null, perDay: null }
/** Transactions that open the account and its key. */
export const OPENING = [
  accountEvents(0, CREDIT_MICROS),
  [keyOf(1, 0)],
  [{ kind: 'cap', key: 1, micros: CREDIT_MICROS }],
  [{ kind: 'limits', account: 0, limits }],
] satisfies LedgerEvent[][]
const book = new Book(true)
for (const [at, events] of OPENING.entries()) book.transact(events, 0, at + 1)

const ROWS = new MeterRows(new ArrayBuffer(8192))
/** Worlds for each one whose nodes are all restarted. */
const REST_EVERY = 8

/** Steps that change the process of a node. */
const OF_NODE = new Set(['charge', 'batch', 'send', 'hold', 'deliver', 'repeat', 'answer', 'read', 'kill'])

interface Process {
  live: LiveState
  newestAt: Map<number, number>
  /** Number of credits and debits that the node has read. */
  read: number
  epoch: number
  number: number
  /** A request that waits. */
  waits: Shortfall | null
  isRecalled: boolean
  pending: { message: Message; sentMs: number; answer: Answer | null } | null
}

/** Call of the database, with its answer and the state after it. */
export interface Call {
  name: 'start' | 'exchange' | 'commit' | 'giveUp' | 'copy' | 'restore'
  node: number
  /** Charged queries in the node's ledger. */
  queries: number
  message: Message | null
  /** Null if the database has refused an exchange. */
  answer: Answer | null
  after: State
}

interface World {
  db: State
  /** Copy of the database that a restore brings back. */
  backup: State
  calls: Call[]
  processes: (Process | null)[]
  /** Acknowledged queries in the ledgers. */
  charged: number[]
  /** Queries that passed the limit in the present minute. */
  admitted: number
  strays: { node: number; message: Message }[]
  left: Record<
    | 'charge'
    | 'batch'
    | 'kill'
    | 'hold'
    | 'repeat'
    | 'pass'
    | 'copy'
    | 'restore'
    | 'giveUp'
    | 'credit'
    | 'debit',
    number
  >
  isRestored: boolean
}

/** Faults of the code of a node, for mutants. */
export type NodeFaults = Partial<
  Record<'addsTwice' | 'keepsReturned' | 'takesUnchecked' | 'forgetsOrder', boolean>
>

export interface Checked {
  states: number
  /** Steps to the first fault, and the fault; null if there is none. */
  failure: string | null
}

/** @param depth most steps of an order */
export function check(depth: number, rules: Rules = RULES, faults: NodeFaults = {}): Checked {
  const seen = new Set<string>()
  let front: { world: World; steps: string[] }[] = [{ world: firstWorld(), steps: [] }]
  for (let step = 0; step < depth; step++) {
    const next: typeof front = []
    for (const { world, steps } of front) {
      for (const name of stepsOf(world)) {
        const after = copy(world)
        const path = [...steps, name]
        try {
          run(after, name, rules, faults)
          expectSound(after)
          const key = fingerprint(after)
          if (seen.has(key)) continue
          seen.add(key)
          if (seen.size % REST_EVERY === 0) expectRest(copy(after), rules, faults)
        } catch (error) {
          return { states: seen.size, failure: `${path.join(', ')}: ${String(error)}` }
        }
        if (step + 1 < depth) next.push({ world: after, steps: path })
      }
    }
    front = next
  }
  return { states: seen.size, failure: null }
}

/**
 * First steps of some walks, which random steps seldom take: an older copy knows some of what a node has charged.
 *
 * 1. Nodes 0 and 1 lease a query each, and the database is copied: one query is free.
 * 2. Node 1 starts again, which frees its query. Node 0 charges one query, and two in a later minute.
 * 3. The copy is restored. Node 0 starts with three charges: its lease and the free query pay for two, the third is waived.
 */
const PARTLY_KNOWN = (
  'send 0, send 1, copy 0, kill 1, start 1, answer 0, charge 0, pass 0, pass 0, batch 0, send 0, answer 0, batch 0, ' +
  'restore 0, send 0, start 0'
).split(', ')

/** Takes `steps` random steps. Returns the fault; null if there is none. @param calls takes the calls of the database */
export function walk(
  random: (below: number) => number,
  steps: number,
  rules: Rules = RULES,
  faults: NodeFaults = {},
  calls: Call[] = [],
): string | null {
  const world = firstWorld(calls)
  // Mostly without an older copy, which excuses what is charged beyond the leases.
  const restore = random(4) === 0 ? 1 : 0
  world.left = {
    charge: steps,
    batch: 4,
    kill: 2,
    hold: 3,
    repeat: 3,
    pass: 4,
    copy: restore,
    restore,
    giveUp: 1,
    credit: 2,
    debit: 2,
  }
  const path = restore === 1 && random(2) === 0 ? [...PARTLY_KNOWN] : []
  try {
    for (let step = 0; step < steps; step++) {
      const names = stepsOf(world)
      // Half of the steps use credit, or move it.
      const useful = names.filter(name => /^(charge|batch|send|answer|deliver|credit|debit|read)/.test(name))
      const from = random(2) === 0 && useful.length > 0 ? useful : names
      if (step === path.length) path.push(from[random(from.length)])
      run(world, path[step], rules, faults)
      expectSound(world)
    }
    expectRest(world, rules, faults)
    return null
  } catch (error) {
    return `${path.join(', ')}: ${String(error)}`
  }
}

function firstWorld(calls: Call[] = []): World {
  const counter = (kind: number, most: number) => ({
    ...{ holder: kind === 1 ? 1 : 0, kind, period: kind === 1 ? monthOf(START_MS) : 0, most },
    ...{ used: 0, leased: 0 },
  })
  const row = { epoch: 0, number: 0, answer: null, isSettled: false, isWrittenOff: false, seenMs: START_MS }
  const db: State = {
    nowMs: START_MS,
    committed: [],
    counters: [CREDIT_MICROS, CREDIT_MICROS, PER_MINUTE, 2 ** 52, 2 ** 52].map((most, kind) =>
      counter(kind, most),
    ),
    ...{ leases: [], usage: new Array(NODES).fill(0), recalled: new Array(NODES).fill(false), waived: 0 },
    lacking: NO_LACKING,
    nodes: Array.from({ length: NODES }, () => ({ ...row })),
  }
  const world: World = {
    ...{ db, backup: db, calls, processes: [], charged: new Array(NODES).fill(0), admitted: 0, strays: [] },
    isRestored: false,
    left: {
      ...{ charge: 4, batch: 0, kill: 1, hold: 1, repeat: 1, pass: 2, copy: 1, restore: 1, giveUp: 1 },
      ...{ credit: 1, debit: 1 },
    },
  }
  for (let node = 0; node < NODES; node++) {
    start(world, node, RULES)
    // A request waits on each node.
    charge(world, node, 1, {})
  }
  world.backup = world.db
  return world
}

function stepsOf({ db, backup, processes, left, strays }: World): string[] {
  const steps: string[] = []
  for (const [node, process] of processes.entries()) {
    if (process === null) {
      steps.push(`start ${node}`)
      if (left.giveUp > 0) steps.push(`giveUp ${node}`)
      continue
    }
    if (left.charge > 0) steps.push(`charge ${node}`)
    if (left.batch > 0) steps.push(`batch ${node}`)
    if (left.kill > 0) steps.push(`kill ${node}`)
    if (process.read < db.committed.length) steps.push(`read ${node}`)
    if (process.pending === null) steps.push(`send ${node}`, ...(left.hold > 0 ? [`hold ${node}`] : []))
    else if (process.pending.answer === null) steps.push(`deliver ${node}`)
    else {
      steps.push(`answer ${node}`)
      if (left.repeat > 0) steps.push(`repeat ${node}`)
    }
  }
  for (let at = 0; at < strays.length; at++) steps.push(`stray ${at}`)
  if (left.pass > 0) steps.push('pass 0')
  if (left.restore > 0 && left.copy > 0) steps.push('copy 0')
  // With an older sequence, the nodes would end.
  if (left.restore > 0 && backup.committed.length === db.committed.length) steps.push('restore 0')
  const [{ most, used, leased }] = db.counters
  if (left.credit > 0) steps.push('credit 0')
  if (left.debit > 0 && most - used - leased >= QUERY_PRICE_MICROS) steps.push('debit 0')
  return steps
}

function run(world: World, step: string, rules: Rules, faults: NodeFaults): void {
  const [name, number] = step.split(' ')
  const node = Number(number)
  const process = OF_NODE.has(name) && world.processes[node] ? copyProcess(world.processes[node]) : null
  if (process !== null) world.processes[node] = process
  if (name in world.left) world.left[name as keyof World['left']]--
  switch (name) {
    case 'charge':
      return charge(world, node, 1, faults)
    case 'batch':
      return charge(world, node, 2, faults)
    case 'hold':
    case 'send':
      if (process === null) return
      process.pending = {
        message: compose(world, node, process, faults),
        sentMs: world.db.nowMs,
        answer: null,
      }
      if (name === 'send') process.pending.answer = deliver(world, node, process.pending.message, rules)
      return
    case 'deliver':
    case 'repeat':
      if (process?.pending) process.pending.answer = deliver(world, node, process.pending.message, rules)
      return
    case 'answer':
      return answer(world, node, faults)
    case 'credit':
    case 'debit':
      commit(changeState(world), name === 'credit' ? QUERY_PRICE_MICROS : -QUERY_PRICE_MICROS)
      return note(world, 'commit', node)
    case 'read':
      if (faults.forgetsOrder) process?.newestAt.clear()
      if (process !== null) read(world, process)
      return
    case 'kill':
      if (process?.pending) world.strays.push({ node, message: process.pending.message })
      world.processes[node] = null
      return
    case 'start':
      return start(world, node, rules)
    case 'stray': {
      const [stray] = world.strays.splice(node, 1)
      deliver(world, stray.node, stray.message, rules)
      return
    }
    case 'pass':
      changeState(world).nowMs += PASS_MS
      if (world.db.nowMs % MINUTE_MS < PASS_MS) world.admitted = 0
      return
    case 'giveUp': {
      // All others have been heard of meanwhile.
      const db = changeState(world)
      db.nowMs += WRITE_OFF_MS
      world.admitted = 0
      for (const [at, row] of db.nodes.entries()) if (at !== node) row.seenMs = db.nowMs
      const row = db.nodes[node]
      Object.assign(row, { epoch: row.epoch + 1, isSettled: false, isWrittenOff: true, answer: null })
      rules.release(db, node)
      return note(world, 'giveUp', node)
    }
    case 'copy':
      world.backup = world.db
      return note(world, 'copy', 0)
    case 'restore': {
      const { nowMs } = world.db
      world.db = { ...copyState(world.backup), nowMs }
      for (const row of world.db.nodes) row.seenMs = nowMs
      world.isRestored = true
      return note(world, 'restore', 0)
    }
  }
}

/** A request of so many queries passes the hot path: limits, then charge. */
function charge(world: World, node: number, queries: number, { takesUnchecked }: NodeFaults): void {
  const process = world.processes[node]
  if (process === null) return
  const key = new SharedKey(process.live, 1, '')
  const charging = chargingOf(world, process)
  const { cells } = key
  const money = [key.account.funds, key.funds]
  const micros = queries * QUERY_PRICE_MICROS
  if (takesUnchecked) for (const at of money) cells[at + LEFT] += micros
  const wait = charging.takeFromLimits(key, queries)
  const isAdmitted = wait === null
  const refusal = wait ?? charging.charge(key, 0, queries)
  if (refusal === null) world.charged[node] += queries
  process.waits = typeof refusal === 'object' ? refusal : null
  if (isAdmitted && process.waits === null) world.admitted += queries
  else if (isAdmitted) charging.putBackIntoLimits(key, queries)
  if (takesUnchecked) for (const at of money) cells[at + LEFT] = Math.max(0, cells[at + LEFT] - micros)
}

function chargingOf({ db }: World, { live }: Process): Charging {
  const timeline = { nowMs: () => db.nowMs, wallMs: () => db.nowMs, correct: () => false }
  const nothing = { wake() {}, waitForLease: async () => false, thread: 0 }
  return new Charging({ live, rows: ROWS, timeline: timeline as Timeline, ...nothing })
}

function heldOf({ db }: World, { live, read, newestAt }: Process): NodeCounters {
  const ledger = { timeline: { nowMs: () => db.nowMs }, meter: { rows: ROWS } }
  return nodeCounters(live, ledger, { book, sequence: read }, newestAt)
}

/** Reads the next credit or debit. */
function read(world: World, process: Process): void {
  const micros = world.db.committed[process.read++]
  heldOf(world, process).changeBalance(book.account(0), micros)
}

function compose(world: World, node: number, process: Process, { keepsReturned }: NodeFaults): Message {
  const held = heldOf(world, process)
  const active = new ActiveAccount(book.account(0), 0)
  active.keySlots.add(1)
  if (process.waits !== null) active.waiting.add({ shortfall: process.waits, resolve() {} })
  const before = new Uint8Array(process.live.share.memory).slice()
  const taken = held.takeOut(active, process.isRecalled ? 'all' : 'nothing')
  if (keepsReturned) new Uint8Array(process.live.share.memory).set(before)
  const wants = process.isRecalled && process.waits === null ? [] : wantsOf(active, held.read(active))
  process.isRecalled = false
  const reports = world.charged[node] > 0 ? [{ key: 1, usage: 0, queries: world.charged[node] }] : []
  return { epoch: process.epoch, number: ++process.number, reports, taken, wants }
}

function note(
  { calls, charged, db }: World,
  name: Call['name'],
  node: number,
  message: Message | null = null,
): void {
  const { answer } = db.nodes[node]
  calls.push({ name, node, queries: charged[node], message, answer, after: db })
}

/** Returns the answer; null if the database has refused the exchange, which ends the node. */
function deliver(world: World, node: number, message: Message, rules: Rules): Answer | null {
  const before = world.db
  try {
    const answer = exchange(rules, changeState(world), node, message)
    note(world, 'exchange', node, message)
    return answer
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    // A transaction changes everything or nothing.
    world.db = before
    world.calls.push({ name: 'exchange', node, queries: 0, message, answer: null, after: before })
    const isPresent = world.processes[node]?.epoch === message.epoch
    if (isPresent && !world.isRestored) throw new Error(`a healthy node is refused: ${error.message}`)
    if (isPresent) world.processes[node] = null
    return null
  }
}

function answer(world: World, node: number, { addsTwice, forgetsOrder }: NodeFaults): void {
  const process = world.processes[node]
  if (!process?.pending?.answer) return
  const { sentMs } = process.pending
  const { grants, isRecalled, sequence } = process.pending.answer
  if (forgetsOrder) process.newestAt.clear()
  const held = heldOf(world, process)
  for (const grant of grants) {
    held.addGrant(grant, sentMs, sequence)
    if (addsTwice) held.addGrant(grant, sentMs, sequence)
  }
  process.isRecalled ||= isRecalled
  process.pending = null
}

/** Returns a copy of the state, for a step to change. After the step, a state never changes. */
function changeState(world: World): State {
  world.db = copyState(world.db)
  return world.db
}

function start(world: World, node: number, rules: Rules): void {
  const db = changeState(world)
  rules.beginPeriods(db)
  rules.recover(db, node, world.charged[node])
  note(world, 'start', node)
  const live = new LiveState({ memory: new SharedArrayBuffer(liveParts(SLOTS).bytes), slots: SLOTS })
  const epoch = world.db.nodes[node].epoch
  const process: Process = {
    ...{ live, newestAt: new Map(), read: 0 },
    ...{ epoch, number: 0, waits: null, isRecalled: false, pending: null },
  }
  const held = heldOf(world, process)
  for (const record of book.slots) held.refillFunds(record)
  held.refillWindows(book.account(0))
  const { words } = live
  words[live.lineOf(0).word + WORD.account] = 1
  words[live.lineOf(1).word + WORD.account] = 1
  words[live.lineOf(0).word + WORD.isLimited] = 1
  words[live.lineOf(0).word + WORD.version] = 1
  while (process.read < world.db.committed.length) read(world, process)
  world.processes[node] = process
}

function expectSound({ db, charged, admitted, processes, isRestored }: World): void {
  const sum = charged.reduce((total, count) => total + count, 0)
  for (const { kind, most, used, leased, period, holder } of db.counters) {
    // An older copy does not know what was used of a cap.
    if (leased < 0 || (most - used - leased < 0 && !(kind === 1 && isRestored)))
      throw new Error(`counter ${kind} is below zero`)
    const leases = db.leases.filter(l => l.kind === kind && l.holder === holder && l.period === period)
    const held = leases.reduce((total, { amount }) => total + amount, 0)
    if (held !== leased) throw new Error(`counter ${kind} has ${leased} leased, and leases of ${held}`)
  }
  const booked = db.counters[0].used / QUERY_PRICE_MICROS
  if (booked + db.waived > sum) throw new Error(`${booked} booked and ${db.waived} waived of ${sum} charges`)
  // An older copy does not know the leases of the nodes.
  if (isRestored) return
  // Charges that a given-up node has not reported are waived at its next start.
  const unknown = charged.map((count, node) => (db.nodes[node].isWrittenOff ? count - db.usage[node] : 0))
  const excused = unknown.reduce((total, count) => total + count, db.waived)
  const queries = db.counters[0].most / QUERY_PRICE_MICROS
  if (sum > queries + excused) throw new Error(`${sum} queries of ${queries} are charged`)
  // Else a request would be refused for good, although there is credit that the node has read of.
  for (const process of processes) {
    if (process === null) continue
    const { cells, funds } = process.live.lineOf(0)
    const known = db.committed.slice(0, Math.max(process.read, process.newestAt.get(funds) ?? 0))
    const micros = known.reduce((total, change) => total + change, CREDIT_MICROS) - sum * QUERY_PRICE_MICROS
    const shown = cells[funds + LEFT] + cells[funds + ELSEWHERE]
    if (shown < micros) throw new Error(`a node shows ${shown} of ${micros}`)
  }
  if (admitted > PER_MINUTE) throw new Error(`${admitted} queries in a minute, and ${PER_MINUTE} are allowed`)
}

/** Restarts all nodes: each can start, every charge is booked or waived, and all show one balance. */
function expectRest(world: World, rules: Rules, faults: NodeFaults): void {
  for (let node = 0; node < NODES; node++) start(world, node, rules)
  const { db, charged } = world
  const sum = charged.reduce((total, count) => total + count, 0)
  const [balance] = db.counters
  const booked = balance.used / QUERY_PRICE_MICROS
  if (booked + db.waived !== sum)
    throw new Error(`${booked} booked and ${db.waived} waived of ${sum} charges`)
  if (balance.leased !== 0) throw new Error(`${balance.leased} are leased by nobody`)
  for (const [node, process] of world.processes.entries()) {
    if (process === null) continue
    const message = compose(world, node, process, faults)
    process.pending = {
      message,
      sentMs: db.nowMs,
      answer: deliver(world, node, { ...message, reports: [] }, rules),
    }
    answer(world, node, faults)
    const { cells, funds } = process.live.lineOf(0)
    const shown = cells[funds + LEFT] + cells[funds + ELSEWHERE]
    if (shown !== balance.most - balance.used) throw new Error(`node ${node} shows ${shown}`)
  }
  expectSound(world)
}

function copy(world: World): World {
  return {
    ...world,
    charged: [...world.charged],
    strays: [...world.strays],
    calls: [],
    left: { ...world.left },
    processes: [...world.processes],
  }
}

function copyProcess(process: Process): Process {
  const live = new LiveState({ memory: process.live.share.memory.slice(0), slots: SLOTS })
  return {
    ...{ ...process, live, newestAt: new Map(process.newestAt) },
    pending: process.pending && { ...process.pending },
  }
}

const remembered = new WeakMap<object, unknown>()

/** Makes something of a message, of an answer, or of a process or state after its step, once: none of them changes. */
function once<R>(part: object, make: () => R): R {
  if (!remembered.has(part)) remembered.set(part, make())
  return remembered.get(part) as R
}

const numbered = (part: Message | Answer | null) => part && once(part, () => numberOf(part))

/** Numbers of messages and answers by their text. */
const numbers = new Map<string, number>()

/** Returns a number that is the same for alike messages or answers. */
function numberOf(part: Message | Answer): number {
  const text = JSON.stringify(part)
  const number = numbers.get(text) ?? numbers.size
  numbers.set(text, number)
  return number
}

function textOfProcess(process: Process): string {
  const { live, newestAt, read, epoch, number, waits, isRecalled, pending, ...others } = process
  others satisfies Record<string, never>
  const [{ cells, funds, windows }, key] = [live.lineOf(0), live.lineOf(1)]
  return [
    ...[[...newestAt].join(';'), read, epoch, number, waits && JSON.stringify(waits), isRecalled],
    pending && [numbered(pending.message), pending.sentMs, numbered(pending.answer)].join(';'),
    ...cells.subarray(funds, funds + CELLS_PER_WINDOW),
    ...cells.subarray(key.funds, key.funds + CELLS_PER_WINDOW),
    ...cells.subarray(windows, windows + WINDOWS_CELLS),
  ].join()
}

/** Returns the text of what is known of each node, then that of the counters. */
function textsOfState(state: State): readonly string[] {
  const { counters, committed, waived, nodes, usage, recalled, leases } = state
  const texts = nodes.map(({ answer, ...row }, node) =>
    [
      ...[...Object.values(row), numbered(answer), usage[node], recalled[node]],
      ...leases.flatMap(l => (l.node === node && l.amount > 0 ? [l.kind, l.period, l.amount] : [])),
    ].join(),
  )
  const held = counters.flatMap(counter => Object.values(counter))
  return [...texts, [...held, ...committed, waived].join()]
}

/** Returns a text that is the same for alike worlds, also if the nodes have changed places. */
function fingerprint({ db, backup, processes, charged, admitted, strays, left, isRestored }: World): string {
  const states = (left.restore > 0 ? [db, backup] : [db]).map(state => once(state, () => textsOfState(state)))
  const nodes = processes.map((process, node) => {
    const messages = strays.filter(stray => stray.node === node).map(({ message }) => numbered(message))
    const known = states.map(texts => texts[node])
    const own = process && once(process, () => textOfProcess(process))
    return [own, messages.join(), charged[node], ...known].join('|')
  })
  const counters = states.map(texts => texts[NODES])
  return [db.nowMs, ...counters, admitted, ...Object.values(left), isRestored, ...nodes.sort()].join('|')
}
