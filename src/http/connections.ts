/** Bounds the connections of the API: in all, below the limit of file descriptors, and by address. */
import { readFileSync } from 'node:fs'
import { CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS_SHARE, DESCRIPTORS_RESERVED } from '../limits.ts'

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
 * Counts connections. Up to `perAddressMax` in all, nobody can hold more than that, and a connection costs one addition.
 * Beyond it, a census says at most once a second who holds how many, and connections that open later are added to it. Whose
 * connections close meanwhile is not known. So an address is refused only when it exceeds its share even if all of them were
 * its own: an honest one is never refused because of an old count.
 */
export class Connections {
  readonly bounds: ConnectionBounds
  readonly #census: Census
  #open = 0
  #refused = 0
  /** Connections of each address in the last census, and those that it has opened since. */
  #held = new Map<string, number>()
  /** Connections of all addresses that were closed since the last census began. */
  #closedSince = 0
  /** Refused connections that are not closed yet. They are in no count but that of all. */
  #refusedOpen = 0
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
    this.#refusedOpen++
    return false
  }

  closed(): void {
    this.#open--
    if (this.#refusedOpen > 0) this.#refusedOpen--
    else this.#closedSince++
  }

  #isWithinShare(address: string): boolean {
    const { perAddressMax } = this.bounds
    const held = (this.#held.get(address) ?? 0) + 1
    const oldestMs = held > perAddressMax ? DOUBTFUL_CENSUS_MS : CENSUS_MS
    if (performance.now() - this.#censusMs > oldestMs) void this.#takeCensus()
    if (held - this.#closedSince > perAddressMax) return false
    this.#held.set(address, held)
    return true
  }

  async #takeCensus(): Promise<void> {
    if (this.#isTakingCensus) return
    this.#isTakingCensus = true
    const closedBefore = this.#closedSince
    try {
      const census = await this.#census()
      if (census !== null) {
        this.#held = new Map(census)
        // The census may have counted those that were closed while it was taken.
        this.#closedSince -= closedBefore
      } else if (this.#held.size > this.bounds.max) {
        this.#held.clear()
      }
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
