/** Bounds the connections of the API: in all, below the limit of file descriptors, and by address. */
import { readFileSync } from 'node:fs'
import { CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_SHARE, DESCRIPTORS_RESERVED } from '../limits.ts'
import { monotonicMs } from '../platform/monotonic.ts'
import { CELL, ProcessCounts } from './shared/process-counts.ts'
import { addressTallyKey, type TallyKey } from './shared/tally.ts'

/** How old a census may be. */
const CENSUS_MS = 1000
/** How old it may be when an address may have exceeded its share. */
const DOUBTFUL_CENSUS_MS = 100

/** Connections by `addressKey`, or null where nobody can tell. */
export type Census = () => Promise<ReadonlyMap<string, number> | null>

export interface ConnectionBounds {
  /** Connections in all. */
  max: number
  /** Connections of one address. */
  perAddressMax: number
}

/**
 * Counts the connections of the process, whose threads share the counts, in all and by address, each before it is accepted. Whose
 * connections close is not known: uWebSockets.js closes the descriptor before it says so, and has no address then. So a
 * census says at most once a second who still holds how many, from the time on when an address could hold half of its share.
 * An address is refused only when it exceeds its share even if all connections that closed since the census were its own: an
 * honest one is never refused because of an old count. By so many, and by no more, can another one exceed its share meanwhile.
 */
export class Connections {
  readonly bounds: ConnectionBounds
  readonly #census: Census
  readonly #counts: ProcessCounts
  readonly #cells: Int32Array
  #openHere = 0

  constructor(bounds: ConnectionBounds, census: Census, counts: ProcessCounts = new ProcessCounts()) {
    this.bounds = bounds
    this.#census = census
    this.#counts = counts
    this.#cells = counts.cells
  }

  /** Open connections of the process. */
  get open(): number {
    return Atomics.load(this.#cells, CELL.open)
  }

  /** Open connections of this thread. */
  get openHere(): number {
    return this.#openHere
  }

  /** Connections of the process that were refused so far. */
  get refused(): number {
    return Atomics.load(this.#cells, CELL.refused)
  }

  /**
   * Counts a new connection. False when it must be closed, which `closed` then counts. `address` gives its key, or null for one
   * that counts as nobody's.
   */
  opened(address: () => string | null): boolean {
    this.#openHere++
    const open = Atomics.add(this.#cells, CELL.open, 1) + 1
    const { max, perAddressMax } = this.bounds
    if (open <= max) {
      // Where one address may hold all of them, nobody's have to be counted. Counted from the first one on, so that no burst
      // can overtake the first census.
      const key = perAddressMax < max ? address() : null
      const isWithinShare = key === null || this.#isWithinShare(key, open)
      if (isWithinShare || open <= perAddressMax) return true
    }
    Atomics.add(this.#cells, CELL.refused, 1)
    Atomics.add(this.#cells, CELL.refusedOpen, 1)
    return false
  }

  closed(): void {
    this.#openHere--
    Atomics.sub(this.#cells, CELL.open, 1)
    if (!this.#closedRefused()) Atomics.add(this.#cells, CELL.closedSince, 1)
  }

  /** Counts one of the refused connections as closed, unless all of them are. */
  #closedRefused(): boolean {
    for (;;) {
      const refused = Atomics.load(this.#cells, CELL.refusedOpen)
      if (refused === 0) return false
      if (Atomics.compareExchange(this.#cells, CELL.refusedOpen, refused, refused - 1) === refused)
        return true
    }
  }

  #isWithinShare(address: string, open: number): boolean {
    const { perAddressMax } = this.bounds
    const { held, censusMs } = this.#counts
    Atomics.add(this.#cells, CELL.opened, 1)
    // One more than its share even after all those that were closed: the table then leaves it as it is.
    const most = perAddressMax + Atomics.load(this.#cells, CELL.closedSince)
    const count = held.add(addressTallyKey(address), 0, 1, most)
    const isDoubtful = count > perAddressMax
    // A full table has room again after a census.
    if (isDoubtful || count < 0 || open > perAddressMax / 2) {
      const oldestMs = isDoubtful ? DOUBTFUL_CENSUS_MS : CENSUS_MS
      if (monotonicMs() - censusMs[0] > oldestMs) void this.#takeCensus()
    }
    return count <= most
  }

  async #takeCensus(): Promise<void> {
    const { held, censusMs } = this.#counts
    if (Atomics.compareExchange(this.#cells, CELL.takingCensus, 0, 1) !== 0) return
    const closedBefore = Atomics.load(this.#cells, CELL.closedSince)
    const openedBefore = Atomics.load(this.#cells, CELL.opened)
    try {
      const census = await this.#census()
      if (census !== null) {
        // The census may have missed those that were opened while it was taken.
        held.correct(tallied(census), (Atomics.load(this.#cells, CELL.opened) - openedBefore) | 0)
        // The census may have counted those that were closed while it was taken.
        Atomics.sub(this.#cells, CELL.closedSince, closedBefore)
      }
    } finally {
      censusMs[0] = monotonicMs()
      Atomics.store(this.#cells, CELL.takingCensus, 0)
    }
  }
}

function* tallied(census: ReadonlyMap<string, number>): Generator<[TallyKey, number]> {
  for (const [address, count] of census) yield [addressTallyKey(address), count]
}

/**
 * Bounds for a process that may have `descriptors` files open: the ledger's files come first.
 * @param perAddressMax connections of one address; 0: a share of all
 */
export function connectionBounds(descriptors: number, perAddressMax = 0): ConnectionBounds {
  const reserved = Math.min(DESCRIPTORS_RESERVED, Math.ceil(descriptors / 2))
  const max = Math.min(CONNECTIONS_MAX, descriptors - reserved)
  const share = Math.ceil(max * CONNECTIONS_PER_ADDRESS_SHARE)
  return { max, perAddressMax: Math.min(max, perAddressMax || share) }
}

/** Files that this process may have open: the soft limit, which Node.js raises to the hard one. Infinity where unknown. */
export function descriptorLimit(limitsFile = '/proc/self/limits'): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync(limitsFile, 'latin1'))?.[1]
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
