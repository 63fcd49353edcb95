/**
 * The rules of keys that have any, in memory that all threads share: a block of one to eleven lines for each, which the key's
 * own line points to. A thread copies a block under the lock of the key's account when the version of the rules is not the one
 * that it knows, so nothing here is read for a request whose key has no rules, and hardly ever for one whose key has some.
 */
import type { KeyRecord } from '../../ledger/book/record.ts'
import type { RateLimits } from '../../ledger/event.ts'
import { KEY_ADDRESSES_MAX } from '../../limits.ts'
import { NETWORK_WORDS, parseNetwork } from '../../networks.ts'
import { LINE_CELLS, LINE_WORDS } from './live-layout.ts'

/** Cells of a block: when the key expires, Infinity for never; until when its earlier secret works. */
const EXPIRES_MS = 0
const EARLIER_UNTIL_MS = 1
/** Words: the number of the present secret; one bit for each allowed endpoint; 1 with limits, then the three, -1 for none. */
const SECRET = 4
const ENDPOINTS = 5
const LIMITED = 6
const PER_MINUTE = 7
const PER_HOUR = 8
const PER_DAY = 9
/** How many networks follow on the further lines; -1: every address is allowed. */
const NETWORKS = 10

/** Bits of `ENDPOINTS` when every endpoint is allowed, also one that a later version adds. */
export const EVERY_ENDPOINT = -1

const LINES_MAX = linesFor(KEY_ADDRESSES_MAX)

/** The rules of a key as a thread has copied them. */
export interface CopiedRules {
  expiresMs: number
  earlierUntilMs: number
  /** The number of the secret that works without an end. */
  secret: number
  endpoints: number
  limits: RateLimits | null
  /** Networks of `NETWORK_WORDS` each; null: every address is allowed. */
  networks: Int32Array | null
}

export class RuleBlocks {
  readonly memory: SharedArrayBuffer
  readonly #words: Int32Array
  readonly #cells: Float64Array
  /** First line that was never used; 0 means none. Only the ledger thread knows it, and the blocks that are free, by size. */
  #next = 1
  #free: number[][] = []

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory
    this.#words = new Int32Array(memory)
    this.#cells = new Float64Array(memory)
  }

  static for(lines: number): RuleBlocks {
    return new RuleBlocks(new SharedArrayBuffer(Math.max(lines, 2 * LINES_MAX) * LINE_WORDS * 4))
  }

  /** Whether the largest block has room. */
  get hasRoom(): boolean {
    return (this.#next + LINES_MAX) * LINE_WORDS <= this.#words.length
  }

  /** Twice as much memory with the same in it. Nothing may be written to the old one any more. */
  grown(): RuleBlocks {
    const twice = new RuleBlocks(new SharedArrayBuffer(this.memory.byteLength * 2))
    twice.#words.set(this.#words)
    twice.#next = this.#next
    twice.#free = this.#free
    return twice
  }

  /** The first line of an unused block for so many networks. */
  take(networks: number): number {
    const lines = linesFor(networks)
    const free = this.#free[lines]?.pop()
    if (free !== undefined) return free
    const first = this.#next
    this.#next += lines
    return first
  }

  /** Lets a block be used again. */
  release(first: number): void {
    const lines = linesFor(this.#words[first * LINE_WORDS + NETWORKS])
    this.#free[lines] ??= []
    this.#free[lines].push(first)
  }

  /** Fills a block. @param secret the number of the key's present secret */
  write(first: number, { rules, rolled }: KeyRecord, secret: number, networks: Int32Array | null): void {
    const words = this.#words
    const word = first * LINE_WORDS
    const limits = rules?.limits ?? null
    this.#cells[first * LINE_CELLS + EXPIRES_MS] = rules?.expiresMs ?? Number.POSITIVE_INFINITY
    this.#cells[first * LINE_CELLS + EARLIER_UNTIL_MS] = rolled?.untilMs ?? 0
    words[word + SECRET] = secret
    words[word + ENDPOINTS] = endpointBits(rules?.endpoints ?? null)
    words[word + LIMITED] = limits === null ? 0 : 1
    words[word + PER_MINUTE] = limits?.perMinute ?? -1
    words[word + PER_HOUR] = limits?.perHour ?? -1
    words[word + PER_DAY] = limits?.perDay ?? -1
    words[word + NETWORKS] = networks === null ? -1 : networks.length / NETWORK_WORDS
    if (networks !== null) words.set(networks, word + LINE_WORDS)
  }

  /** What a block says. */
  read(first: number): CopiedRules {
    const words = this.#words
    const word = first * LINE_WORDS
    const limitAt = (at: number): number | null => (words[word + at] < 0 ? null : words[word + at])
    const networks = words[word + NETWORKS]
    const networksAt = word + LINE_WORDS
    return {
      expiresMs: this.#cells[first * LINE_CELLS + EXPIRES_MS],
      earlierUntilMs: this.#cells[first * LINE_CELLS + EARLIER_UNTIL_MS],
      secret: words[word + SECRET],
      endpoints: words[word + ENDPOINTS],
      limits:
        words[word + LIMITED] === 0
          ? null
          : { perMinute: limitAt(PER_MINUTE), perHour: limitAt(PER_HOUR), perDay: limitAt(PER_DAY) },
      networks: networks < 0 ? null : words.slice(networksAt, networksAt + networks * NETWORK_WORDS),
    }
  }
}

/** The networks of a key's rules, one after another; null: every address is allowed. */
export function networksOf({ rules }: KeyRecord): Int32Array | null {
  const addresses = rules?.addresses ?? null
  if (addresses === null) return null
  // The ledger has refused everything that is not a network.
  const networks = addresses.map(parseNetwork).filter(network => network !== null)
  const words = new Int32Array(networks.length * NETWORK_WORDS)
  for (const [index, network] of networks.entries()) words.set(network, index * NETWORK_WORDS)
  return words
}

function endpointBits(endpoints: readonly number[] | null): number {
  return endpoints === null ? EVERY_ENDPOINT : endpoints.reduce((bits, usage) => bits | (1 << usage), 0)
}

function linesFor(networks: number): number {
  return 1 + Math.ceil((Math.max(0, networks) * NETWORK_WORDS) / LINE_WORDS)
}
