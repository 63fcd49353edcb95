/** Random order of lost, repeated and delayed messages, crashes, lost disks, restarts, write-offs and clock jumps. */
import { StaleError } from '../../../src/billing/accounts/account-store.ts'
import { FencedError, RefusedError } from '../../../src/billing/fleet/database-errors.ts'
import type { ExchangeAnswer, Want } from '../../../src/billing/fleet/messages.ts'
import type { LedgerEvent } from '../../../src/billing/ledger/event.ts'
import { QUERY_PRICE_MICROS } from '../../../src/billing/money.ts'
import { type Disk, type Sent, SimulatedNode } from './simulated-node.ts'
import {
  ACCOUNTS,
  CAP_MICROS,
  CAPPED_KEY,
  KEY_LIMITS,
  KEYS,
  LIMITED_ACCOUNT,
  LIMITED_KEY,
  LIMITS,
  type SimulatedKey,
  SimulatedTruth,
} from './simulated-truth.ts'
import { failOnMissingLeases } from './support.ts'
import type { TestDatabase } from './test-database.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const NODES_MAX = 4
const STRAYS_MAX = 6

export interface SimulationCounts extends Record<string, number> {
  steps: number
  acknowledged: number
  refused: number
  grants: number
  lost: number
}

export class SimulatedFleet {
  readonly #database: TestDatabase
  readonly #random: (below: number) => number
  readonly #truth = new SimulatedTruth()
  /** Running nodes, at most one per disk. */
  #nodes: SimulatedNode[] = []
  #strays: Sent[] = []
  /** A month, a day and an hour end soon after. */
  #nowMs = Date.UTC(2026, 0, 31, 23, 59)
  #nodesMade = 0
  readonly counts: SimulationCounts = { steps: 0, acknowledged: 0, refused: 0, grants: 0, lost: 0 }

  constructor(database: TestDatabase, random: (below: number) => number) {
    this.#database = database
    this.#random = random
  }

  async prepare(): Promise<void> {
    await this.#database.setClock(this.#nowMs)
    const node = await this.#start(this.#newDisk())
    await this.#settle(node)
    const commit = (events: LedgerEvent[]) => this.#commit(node, events)
    for (let slot = 0; slot < ACCOUNTS; slot++) {
      const micros = [2000, 3000, 7][slot] * QUERY_PRICE_MICROS
      await commit([
        { kind: 'account', slot, id: `a${slot}`, email: `${slot}` },
        creditOf(slot, micros, `c${slot}`),
      ])
    }
    for (const { slot, account } of KEYS) {
      await commit([{ kind: 'key', slot, id: `k${slot}`, account, label: '', start: '', hash: '' }])
    }
    await commit([{ kind: 'limits', account: LIMITED_ACCOUNT, limits: LIMITS }])
    await commit([{ kind: 'cap', key: CAPPED_KEY, micros: CAP_MICROS }])
    const rules = { expiresMs: null, limits: KEY_LIMITS, endpoints: null, addresses: null }
    await commit([{ kind: 'rules', key: LIMITED_KEY, ...rules }])
  }

  async step(): Promise<void> {
    this.counts.steps++
    const node = this.#nodes[this.#random(this.#nodes.length)]
    const kind = this.#random(100)
    if (node === undefined || kind < 3) return this.#restart()
    if (kind < 45) return this.#charge(node)
    if (kind < 78) return this.#exchange(node)
    if (kind < 82) return this.#deliverStray()
    if (kind < 87) return this.#passTime()
    if (kind < 90) return this.#kill(node)
    if (kind < 94) return this.#sync(node)
    if (kind < 98) return this.#command(node)
    return this.#writeOff()
  }

  /** Brings every node back or writes it off. @throws Error when the books do not balance to the query */
  async finish(): Promise<void> {
    for (const disk of this.#truth.disks) {
      if (disk.isLost) continue
      const node = await this.#start(disk)
      await this.#settle(node)
    }
    await this.#advance(DAY_MS + 1)
    for (const disk of this.#truth.disks) if (disk.isLost) await this.#database.store.writeOff(disk.node)
    await this.expectSound()
    for (let slot = 0; slot < ACCOUNTS; slot++) {
      this.counts.lost += this.#truth.expectBooked(slot, await this.#booked(slot))
    }
  }

  async #booked(slot: number): Promise<{ spent: number; leased: number }> {
    const [row] = await this.#database.query(
      'select used as spent, leased from counter where holder = $1 and kind = 0',
      [slot],
    )
    return { spent: Number(row?.spent), leased: Number(row?.leased) }
  }

  /** Call it between steps, as often as time allows. */
  async expectSound(): Promise<void> {
    const faults = await this.#database.faults()
    if (faults.length > 0) throw new Error(faults.join('; '))
  }

  #charge(node: SimulatedNode): void {
    const key = this.#key()
    for (let requests = 1 + this.#random(5); requests > 0; requests--) {
      if (!this.#chargeOnce(node, key)) return
    }
  }

  /** Returns a key, often of the account with watched limits. */
  #key(): SimulatedKey {
    const watched = KEYS.filter(({ account }) => account === LIMITED_ACCOUNT)
    const keys = this.#random(2) === 0 ? watched : KEYS
    return keys[this.#random(keys.length)]
  }

  #chargeOnce(node: SimulatedNode, key: SimulatedKey): boolean {
    const queries = 1 + (this.#random(8) === 0 ? this.#random(30) : 0)
    if (!node.charge(key.slot, this.#random(10), queries, this.#nowMs)) {
      this.counts.refused++
      return false
    }
    this.#truth.acknowledge(node.disk, key, queries, this.#nowMs)
    this.counts.acknowledged += queries
    return true
  }

  /** Sends a message. The message or its answer may be lost; the node then sends it again later. */
  async #exchange(node: SimulatedNode): Promise<void> {
    if (!node.isSettled || node.isFenced) return
    const sent = node.compose(this.#wants(), this.#returnedShare, this.#nowMs)
    if (this.#random(8) === 0) return this.#stray(sent)
    try {
      const answer = await this.#deliver(sent, node.disk)
      this.counts.grants += answer.shares.filter(({ kind, granted }) => kind === 0 && granted > 0).length
      if (this.#random(8) === 0) return this.#stray(sent)
      node.handleAnswer(answer, this.#nowMs)
      if (this.#random(5) === 0) this.#stray(sent)
    } catch (error) {
      if (!(error instanceof FencedError)) throw error
      node.isFenced = true
    }
  }

  async #deliver({ identity, exchange }: Sent, disk: Disk | undefined): Promise<ExchangeAnswer> {
    const answer = await this.#database.store.exchange(identity, exchange)
    if (disk !== undefined) this.#truth.book(disk, exchange.reports)
    return answer
  }

  /** Returns wants of up to two accounts: of the balance, the cap of a key, and the windows of both. */
  #wants(): Want[] {
    const keys = Array.from({ length: this.#random(3) }, () => this.#key())
    const byAccount = new Map(keys.map(key => [key.account, key]))
    return [...byAccount.values()].flatMap(({ slot, account }) => {
      const queries = this.#random(2) * this.#random(4)
      const counters = [
        [account, 0],
        [slot, 1],
        ...[2, 3, 4].flatMap(kind => [
          [account, kind],
          [slot, kind],
        ]),
      ]
      return counters
        .filter(() => this.#random(8) > 0)
        .map(([holder, kind]) => {
          const unit = kind < 2 ? QUERY_PRICE_MICROS : 1
          return {
            account,
            holder,
            kind,
            needed: queries * unit,
            others: this.#random(5) * unit,
            ahead: this.#random(40) * unit,
          }
        })
    })
  }

  readonly #returnedShare = (held: number) => (this.#random(6) === 0 ? this.#random(held + 1) : 0)

  #stray(sent: Sent): void {
    if (this.#strays.length < STRAYS_MAX) this.#strays.push(sent)
  }

  /** Delivers a message that was thought lost, again or for the first time. Nobody gets its answer. */
  async #deliverStray(): Promise<void> {
    const [sent] = this.#strays.splice(this.#random(this.#strays.length), 1)
    if (sent === undefined) return
    try {
      await this.#deliver(
        sent,
        this.#truth.disks.find(({ node }) => node === sent.identity.node),
      )
    } catch (error) {
      // The message is from an earlier epoch, or was answered long ago.
      if (!(error instanceof FencedError || error instanceof RefusedError)) throw error
    }
  }

  async #restart(): Promise<void> {
    const stopped = this.#truth.disks.filter(
      disk => !disk.isLost && !this.#nodes.some(node => node.disk === disk),
    )
    const unsettled = this.#nodes.find(({ isSettled, isFenced }) => !isSettled && !isFenced)
    if (unsettled !== undefined) return this.#settle(unsettled)
    if (this.#nodes.length >= NODES_MAX) return
    const disk = stopped[this.#random(stopped.length + 1)] ?? this.#newDisk()
    const node = await this.#start(disk)
    if (this.#random(3) > 0) await this.#settle(node)
  }

  #newDisk(): Disk {
    const node = `00000000-0000-4000-8000-${`${this.#nodesMade++}`.padStart(12, '0')}`
    const disk = {
      node,
      counts: new Map(),
      known: new Map(),
      forgiven: new Map(),
      isLost: false,
      isWrittenOff: false,
    }
    this.#truth.disks.push(disk)
    return disk
  }

  /** Ends any process that still runs on this disk. */
  async #start(disk: Disk): Promise<SimulatedNode> {
    this.#nodes = this.#nodes.filter(node => node.disk !== disk)
    const epoch = await this.#database.store.begin(disk.node)
    const node = new SimulatedNode(disk, epoch, this.#nowMs)
    this.#nodes.push(node)
    return node
  }

  async #settle(node: SimulatedNode): Promise<void> {
    try {
      const counts = node.counts()
      await this.#database.store.settle(node.identity, counts, failOnMissingLeases)
      if (this.#random(8) === 0) await this.#database.store.settle(node.identity, counts, failOnMissingLeases)
      this.#truth.book(node.disk, counts)
      node.disk.isWrittenOff = false
      await this.#sync(node)
      node.isSettled = true
    } catch (error) {
      if (!(error instanceof FencedError)) throw error
      node.isFenced = true
    }
  }

  #kill(node: SimulatedNode): void {
    this.#nodes = this.#nodes.filter(other => other !== node)
    if (this.#random(6) === 0 && this.#truth.disks.length > 1) node.disk.isLost = true
  }

  async #sync(node: SimulatedNode): Promise<void> {
    node.apply(await this.#database.store.changes(node.sequence, node.position))
  }

  async #passTime(): Promise<void> {
    const steps = [200, 5000, 12_000, 25_000, 61_000, HOUR_MS]
    if (this.#random(15) > 0) return this.#advance(steps[this.#random(steps.length)])
    // The silence is longer than leases last, or about as long.
    await this.#advance(DAY_MS - 1000 + this.#random(3000))
    return this.#writeOff()
  }

  async #advance(ms: number): Promise<void> {
    this.#nowMs += ms
    await this.#database.setClock(this.#nowMs)
  }

  async #command(node: SimulatedNode): Promise<void> {
    if (!node.isSettled || node.isFenced) return
    const account = this.#random(ACCOUNTS)
    const reference = `r${this.counts.steps}`
    switch (this.#random(4)) {
      case 0: {
        const micros = this.#random(200) * QUERY_PRICE_MICROS
        return this.#commit(node, [creditOf(account, micros, reference)])
      }
      case 1:
        return this.#adjust(node, account, reference)
      case 2: {
        // The watched cap stays.
        const key = this.#random(2) === 0 ? 3 : 7
        const micros = this.#random(3) === 0 ? null : this.#random(200) * QUERY_PRICE_MICROS
        return this.#commit(node, [{ kind: 'cap', key, micros }])
      }
      default: {
        const limits = this.#random(2) === 0 ? null : { perMinute: 30, perHour: null, perDay: 300 }
        return this.#commit(node, [{ kind: 'limits', account: 2, limits }])
      }
    }
  }

  /** Takes some of the free balance, or a micro-dollar more, which must be refused. */
  async #adjust(node: SimulatedNode, account: number, reference: string): Promise<void> {
    try {
      const { freeMicros } = await this.#database.store.recall(node.identity, account, this.#random(5000))
      const isTooMuch = this.#random(3) === 0
      const takenMicros = isTooMuch ? freeMicros + 1 : this.#random(freeMicros + 1)
      const adjust = { kind: 'adjust', account, micros: takenMicros, takenMicros, adjust: 'refund' } as const
      await this.#sync(node)
      await this.#database.store.commit(node.identity, node.sequence, [{ ...adjust, reference, note: '' }])
      if (isTooMuch) throw new Error(`account ${account} had ${freeMicros} free, and more was taken`)
    } catch (error) {
      if (error instanceof FencedError) node.isFenced = true
      else if (!(error instanceof StaleError)) throw error
    }
  }

  /** Reads the changes first, as a node does, and again after a concurrent change. */
  async #commit(node: SimulatedNode, events: LedgerEvent[]): Promise<void> {
    try {
      if (this.#random(3) > 0) await this.#sync(node)
      await this.#database.store.commit(node.identity, node.sequence, events)
      await this.#sync(node)
    } catch (error) {
      if (error instanceof FencedError) node.isFenced = true
      else if (!(error instanceof StaleError)) throw error
    }
  }

  async #writeOff(): Promise<void> {
    const disk = this.#truth.disks[this.#random(this.#truth.disks.length)]
    try {
      await this.#database.store.writeOff(disk.node)
      disk.isWrittenOff = true
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error
    }
  }
}

function creditOf(account: number, micros: number, reference: string): LedgerEvent {
  return { kind: 'credit', account, micros, debtPaidMicros: 0, credit: 'operator', reference, note: '' }
}
