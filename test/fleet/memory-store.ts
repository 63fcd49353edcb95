/** The rules of a fleet in memory: the store of simulated nodes, and the oracle of the one on PostgreSQL. */
import { type EffectiveEvent, effectiveEvents } from '../../src/fleet/event-effects.ts'
import { NODE_LIVE_MS, WRITE_OFF_MS } from '../../src/fleet/limits.ts'
import type { Row } from '../../src/fleet/row-store.ts'
import {
  type Committed,
  type Exchange,
  type ExchangeAnswer,
  FencedError,
  type FleetChanges,
  type FleetImage,
  type FleetNotice,
  type FleetStatus,
  type FleetStore,
  GivenUpError,
  type KeyCounts,
  type KeyHour,
  type NodeFacts,
  type NodeIdentity,
  RefusedError,
  StaleError,
  type WriteOff,
  type WrittenOff,
} from '../../src/fleet/store.ts'
import type { LedgerEvent, RulesEvent } from '../../src/ledger/event.ts'
import { admit, book, expectCovered, grant, rollWindows, takeBack, withoutLocked } from './memory-exchange.ts'
import {
  type AccountRow,
  freeMicros,
  heldMicros,
  type KeyRow,
  MemoryTables,
  type NodeRow,
  newAccount,
  newKey,
  noQueries,
  rollMonth,
} from './memory-tables.ts'

export class MemoryStore implements FleetStore {
  readonly tables = new MemoryTables()
  readonly #nowMs: () => number
  readonly #listeners = new Set<(notice: FleetNotice) => void>()

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  async begin(node: string, facts: NodeFacts): Promise<{ epoch: number; fleet: string; sequence: number }> {
    const before = this.tables.nodes.get(node)
    const row: NodeRow = {
      ...facts,
      id: node,
      epoch: (before?.epoch ?? 0) + 1,
      isSettled: false,
      isWrittenOff: before?.isWrittenOff ?? false,
      isFolded: before?.isFolded ?? false,
      seenMs: this.#nowMs(),
      exchangeNumber: 0,
      answer: null,
      applied: before?.applied ?? 0,
      recalls: new Set(),
      usage: before?.usage ?? new Map(),
    }
    this.tables.nodes.set(node, row)
    for (const account of this.tables.accounts.values()) account.holds.delete(node)
    return { epoch: row.epoch, fleet: this.tables.fleet, sequence: this.#sequence }
  }

  async nowMs(): Promise<number> {
    return this.#nowMs()
  }

  async claim(): Promise<boolean> {
    return true
  }

  async settle(identity: NodeIdentity, counts: readonly KeyCounts[]): Promise<KeyCounts[]> {
    const node = this.#enter(identity)
    if (node.isWrittenOff || node.isFolded) {
      for (const { key, queries } of counts) {
        const known = node.usage.get(key) ?? noQueries()
        const greatest = known.map((count, usage) => Math.max(count, queries[usage] ?? 0))
        node.usage.set(key, greatest)
      }
    } else {
      expectCovered(this.tables, node, { reports: counts, returns: [] })
      book(this.tables, node, counts, this.#nowMs())
    }
    const reported = new Map(counts.map(({ key, queries }) => [key, queries]))
    const greater = [...node.usage]
      .filter(([key, queries]) => queries.some((count, usage) => count > (reported.get(key)?.[usage] ?? 0)))
      .map(([key, queries]) => ({ key, queries }))
    this.#release(node, node.isWrittenOff, identity.epoch - 1)
    Object.assign(node, { isSettled: true, isWrittenOff: false, isFolded: false, seenMs: this.#nowMs() })
    return greater.toSorted((a, b) => a.key - b.key)
  }

  async retire(identity: NodeIdentity): Promise<void> {
    const node = this.#enter(identity)
    if (!node.isSettled) throw new RefusedError(`node ${node.id} has not settled`)
    this.#fold(node)
  }

  async describe(identity: NodeIdentity, facts: NodeFacts, appliedSequence: number): Promise<void> {
    Object.assign(this.#enter(identity), facts, { applied: appliedSequence, seenMs: this.#nowMs() })
  }

  async exchange(identity: NodeIdentity, exchange: Exchange): Promise<ExchangeAnswer> {
    const node = this.#enter(identity)
    const presentMs = this.#nowMs()
    const { number } = exchange
    if (number === node.exchangeNumber && node.answer !== null) {
      node.seenMs = presentMs
      return structuredClone(node.answer)
    }
    if (!node.isSettled || number !== node.exchangeNumber + 1) {
      throw new RefusedError(`exchange ${number} follows ${node.exchangeNumber}`)
    }
    const { left, reports, admitted, returns, wants } = withoutLocked(this.tables, exchange)
    expectCovered(this.tables, node, { reports, returns })
    const keys = [...reports, ...wants, ...returns.flatMap(({ caps }) => caps)].map(({ key }) => key)
    for (const slot of keys) {
      const key = slot === null ? undefined : this.tables.keys.get(slot)
      if (key !== undefined) rollMonth(key, presentMs)
    }
    book(this.tables, node, reports, presentMs)
    admit(this.tables, node, admitted)
    for (const returned of returns) takeBack(this.tables, node, returned)

    const touched = new Set(this.#touched({ admitted, returns, wants }, keys))
    if (wants.length > 0) for (const account of touched) rollWindows(account, presentMs)
    const live = [...this.tables.nodes.values()].filter(
      ({ id, seenMs }) => id === node.id || seenMs > presentMs - NODE_LIVE_MS,
    )
    const shares = wants.map(want => grant(this.tables, node, want, live.length, presentMs))
    const wanted = new Set(wants.map(({ account }) => account))
    const others = [...touched]
      .filter(({ slot }) => !wanted.has(slot))
      .map(account => {
        const held = heldMicros(account.leases.get(node.id))
        return {
          account: account.slot,
          grantedMicros: 0,
          elsewhereMicros: account.credited - account.spent - held,
          isHeldElsewhere: account.leased > held,
          cap: null,
          admission: null,
        }
      })
    const recalls = [...node.recalls].toSorted((a, b) => a - b)
    node.recalls.clear()
    const accounts = [...shares.filter(share => share !== null), ...others]
    const answer = { accounts, recalls, left, sequence: this.#sequence }
    Object.assign(node, { exchangeNumber: number, answer, seenMs: presentMs })
    return structuredClone(answer)
  }

  async commit(identity: NodeIdentity, after: number, events: readonly LedgerEvent[]): Promise<Committed> {
    this.#expectEpoch(identity)
    if (after !== this.#sequence)
      throw new StaleError(`transaction ${this.#sequence} is the newest, not ${after}`)
    const effects = effectiveEvents(events)
    for (const event of effects) {
      if (event.kind !== 'adjust' && event.kind !== 'closed') continue
      const account = this.tables.accounts.get(event.account)
      if (account === undefined || freeMicros(account) < event.takenMicros)
        throw new StaleError('less is free')
    }
    for (const event of effects) this.#apply(event)
    for (const event of events) if (event.kind === 'rules') this.#limitKey(event)
    const timeMs = Math.max(this.tables.events.at(-1)?.timeMs ?? 0, this.#nowMs())
    const committed = { sequence: after + 1, timeMs, events }
    this.tables.events.push(committed)
    for (const listener of this.#listeners) listener({ kind: 'committed', sequence: committed.sequence })
    return committed
  }

  async recall(
    identity: NodeIdentity,
    slot: number,
    ms: number,
  ): Promise<{ freeMicros: number; isHeld: boolean }> {
    this.#expectEpoch(identity)
    const account = this.tables.accounts.get(slot)
    if (account === undefined) throw new RefusedError(`account ${slot} is not known`)
    account.recallUntilMs = this.#nowMs() + ms
    for (const [node, lease] of account.leases) {
      if (heldMicros(lease) > 0) this.tables.nodes.get(node)?.recalls.add(slot)
    }
    return { freeMicros: freeMicros(account), isHeld: account.leased > 0 }
  }

  async readRows(): Promise<Row[]> {
    return []
  }

  async writeRows(): Promise<void> {}

  async carryRows(): Promise<boolean> {
    return false
  }

  async image(): Promise<FleetImage> {
    const hours = [...this.tables.keys.values()].flatMap(key =>
      Array.from(key.hours, ([hour, queries]): KeyHour => ({ hour, key: key.slot, queries })),
    )
    hours.sort((a, b) => a.hour - b.hour || a.key - b.key)
    return {
      fleet: this.tables.fleet,
      sequence: this.#sequence,
      position: `${this.tables.transaction + 1}`,
      committed: each(this.tables.events),
      hours: each(hours),
      async close() {},
    }
  }

  async changes(afterSequence: number, position: string): Promise<FleetChanges> {
    const usage = [...this.tables.keys.values()]
      .filter(({ changedBy }) => changedBy >= Number(position) && changedBy > 0)
      .map(({ slot, queries }) => ({ key: slot, queries }))
    if (afterSequence > this.#sequence) throw new RefusedError(`there are ${this.#sequence} transactions`)
    const committed = this.tables.events.slice(afterSequence)
    return { committed, usage, isComplete: true, position: `${this.tables.transaction + 1}` }
  }

  async writeOff(id: string): Promise<WrittenOff> {
    const node = this.tables.nodes.get(id)
    if (node === undefined) throw new RefusedError(`node ${id} is not known`)
    if (!node.isWrittenOff) {
      if (this.#nowMs() - node.seenMs < WRITE_OFF_MS) throw new RefusedError(`node ${id} was heard of since`)
      Object.assign(node, {
        epoch: node.epoch + 1,
        isSettled: false,
        isWrittenOff: true,
        answer: null,
        exchangeNumber: 0,
      })
      node.recalls.clear()
      for (const account of this.tables.accounts.values()) account.holds.delete(id)
    }
    this.#release(node, true, node.epoch - 1)
    this.#fold(node)
    const entries = this.tables.writeOffs.filter(entry => entry.node === id && entry.epoch === node.epoch - 1)
    return { accounts: entries.length, micros: entries.reduce((sum, { micros }) => sum + micros, 0) }
  }

  async writeOffSilent(): Promise<string[]> {
    const silent = [...this.tables.nodes.values()].filter(
      ({ id, seenMs, isWrittenOff }) =>
        !isWrittenOff &&
        this.#nowMs() - seenMs >= WRITE_OFF_MS &&
        [...this.tables.accounts.values()].some(({ leases }) => heldMicros(leases.get(id)) > 0),
    )
    const ids = silent.map(({ id }) => id).toSorted()
    for (const id of ids) await this.writeOff(id)
    return ids
  }

  /** The dashboard and its audit log are no part of the rules that are compared. */
  async claimDashboard(): Promise<never> {
    throw new Error('there is no dashboard in memory')
  }

  async moveDashboard(): Promise<never> {
    throw new Error('there is no dashboard in memory')
  }

  async addAudit(): Promise<void> {}

  async readAudit(): Promise<{ lines: string[]; upto: number }> {
    return { lines: [], upto: 0 }
  }

  async auditSeen(): Promise<void> {}

  async tidy(): Promise<void> {}

  async status(): Promise<FleetStatus> {
    const accounts = [...this.tables.accounts.values()].filter(({ isKey }) => !isKey)
    const nodes = [...this.tables.nodes.values()].map(row => {
      const held = accounts.map(({ leases }) => heldMicros(leases.get(row.id))).filter(micros => micros > 0)
      const silentMs = Math.max(0, this.#nowMs() - row.seenMs)
      const { id, epoch, isSettled, isWrittenOff, applied, address, version, indexBuild } = row
      return {
        ...{ node: id, epoch, isSettled, isWrittenOff, address, version, indexBuild },
        ...{ silentMs, isSilent: silentMs > NODE_LIVE_MS, lag: Math.max(0, this.#sequence - applied) },
        leases: held.length,
        heldMicros: held.reduce((sum, micros) => sum + micros, 0),
      }
    })
    nodes.sort((a, b) => (a.node < b.node ? -1 : 1))
    return {
      fleet: this.tables.fleet,
      sequence: this.#sequence,
      nodes,
      accounts: accounts.length,
      keys: this.tables.keys.size,
      leasedMicros: accounts.reduce((sum, { leased }) => sum + leased, 0),
      inDoubtMicros: nodes.reduce((sum, node) => sum + (node.isSilent ? node.heldMicros : 0), 0),
      moved: null,
      dashboard: null,
      writeOffs: this.tables.writeOffs.toReversed(),
    }
  }

  listen(onNotice: (notice: FleetNotice) => void): void {
    this.#listeners.add(onNotice)
  }

  async close(): Promise<void> {}

  get #sequence(): number {
    return this.tables.events.length
  }

  #limitKey({ key, limits }: RulesEvent): void {
    const row = this.tables.accounts.get(key)
    if (row !== undefined) row.limits = limits
    else if (limits !== null) this.tables.accounts.set(key, { ...newAccount(key), isKey: true, limits })
  }

  #enter({ node, epoch }: NodeIdentity): NodeRow {
    const row = this.tables.nodes.get(node)
    if (row?.epoch === epoch) return row
    if (row?.isWrittenOff && row.epoch === epoch + 1) throw new GivenUpError(`node ${node} was given up`)
    throw new FencedError(`epoch ${epoch} of node ${node} has ended`)
  }

  #expectEpoch({ node, epoch }: NodeIdentity): void {
    if (this.tables.nodes.get(node)?.epoch !== epoch)
      throw new FencedError(`epoch ${epoch} of node ${node} has ended`)
  }

  #touched(
    { admitted, returns, wants }: Pick<Exchange, 'admitted' | 'returns' | 'wants'>,
    keys: readonly (number | null)[],
  ): AccountRow[] {
    const byKey = keys.flatMap(slot => this.tables.keys.get(slot ?? -1)?.account ?? [])
    const named = [...admitted, ...returns, ...wants].flatMap(
      ({ account }) => this.tables.accounts.get(account) ?? [],
    )
    return [...byKey, ...named]
  }

  /** All of it is in the sums of the keys. */
  #fold(node: NodeRow): void {
    node.usage.clear()
    node.isFolded = true
  }

  #release(node: NodeRow, isWrittenOff: boolean, epoch: number): void {
    for (const account of this.tables.accounts.values()) {
      const micros = heldMicros(account.leases.get(node.id))
      account.leases.delete(node.id)
      account.leased -= micros
      if (!isWrittenOff || micros === 0) continue
      const entry: WriteOff = { node: node.id, epoch, account: account.slot, micros, timeMs: this.#nowMs() }
      this.tables.writeOffs.push(entry)
    }
    for (const key of this.tables.keys.values()) {
      const lease = key.leases.get(node.id)
      key.leases.delete(node.id)
      if (lease?.month === key.month) key.monthLeased -= heldMicros(lease)
    }
  }

  #credit(slot: number, micros: number): void {
    const account = this.#account(slot)
    account.credited += micros
    // A command that has taken money wants nothing more of it.
    if (micros <= 0) account.recallUntilMs = 0
  }

  #apply(event: EffectiveEvent): void {
    switch (event.kind) {
      case 'account':
        this.tables.accounts.set(event.slot, newAccount(event.slot))
        return
      case 'key':
        this.tables.keys.set(event.slot, newKey(event.slot, this.#account(event.account)))
        return
      case 'cap':
        return setCap(this.#key(event.key), event.micros)
      case 'limits':
        this.#account(event.account).limits = event.limits
        return
      case 'credit':
        this.#credit(event.account, event.micros - event.debtPaidMicros)
        return
      case 'adjust':
      case 'closed':
        this.#credit(event.account, -event.takenMicros)
        return
      default:
        event satisfies never
    }
  }

  #account(slot: number): AccountRow {
    const account = this.tables.accounts.get(slot)
    if (account === undefined) throw new RefusedError(`account ${slot} is not known`)
    return account
  }

  #key(slot: number): KeyRow {
    const key = this.tables.keys.get(slot)
    if (key === undefined) throw new RefusedError(`key ${slot} is not known`)
    return key
  }
}

function setCap(key: KeyRow, micros: number | null): void {
  key.cap = micros
  if (micros !== null) return
  key.monthLeased = 0
  key.leases.clear()
}

async function* each<T>(values: readonly T[]): AsyncIterable<T> {
  yield* values
}
