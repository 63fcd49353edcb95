/** Bounds the connections of the API: in all, below the limit of file descriptors, and by address. */
import { readFileSync } from 'node:fs'
import { CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_SHARE, DESCRIPTORS_RESERVED } from '../limits.ts'

/** How old a census may be. Between two of them, connections that have ended are still counted for their address. */
const CENSUS_MS = 1000

/** Connections by `addressKey`, or null where nobody can tell. */
export type Census = () => Promise<ReadonlyMap<string, number> | null>

export interface ConnectionBounds {
  /** Connections in all. */
  max: number
  /** Connections of one address. */
  perAddressMax: number
}

/**
 * Counts connections. Up to `perAddressMax` in all, nobody can hold more than that, and a connection costs one addition;
 * beyond it, a census says at most once a second who holds how many.
 */
export class Connections {
  readonly bounds: ConnectionBounds
  readonly #census: Census
  #open = 0
  #refused = 0
  #held = new Map<string, number>()
  #censusMs = Number.NEGATIVE_INFINITY
  #isTakingCensus = false

  constructor(bounds: ConnectionBounds, census: Census) {
    this.bounds = bounds
    this.#census = census
  }

  get open(): number {
    return this.#open
  }

  /** Connections that were refused so far. */
  get refused(): number {
    return this.#refused
  }

  /** Counts a new connection. False when it must be closed, which `closed` then counts. `address` gives its key. */
  opened(address: () => string): boolean {
    this.#open++
    const { max, perAddressMax } = this.bounds
    if (this.#open <= perAddressMax) return true
    if (this.#open <= max && this.#isWithinShare(address())) return true
    this.#refused++
    return false
  }

  closed(): void {
    this.#open--
  }

  #isWithinShare(address: string): boolean {
    if (performance.now() - this.#censusMs > CENSUS_MS) void this.#takeCensus()
    const held = (this.#held.get(address) ?? 0) + 1
    if (held > this.bounds.perAddressMax) return false
    this.#held.set(address, held)
    return true
  }

  async #takeCensus(): Promise<void> {
    if (this.#isTakingCensus) return
    this.#isTakingCensus = true
    try {
      // Counts from before the last quiet time say nothing any more.
      if (performance.now() - this.#censusMs > 2 * CENSUS_MS) this.#held.clear()
      const census = await this.#census()
      if (census !== null) this.#held = new Map(census)
    } finally {
      this.#censusMs = performance.now()
      this.#isTakingCensus = false
    }
  }
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
