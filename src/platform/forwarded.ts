/**
 * Finds the client behind trusted proxies. Each appends the address it sees to `X-Forwarded-For`. From its end,
 * the first address of no trusted proxy is the client's. Everything to its left may be forged.
 */
import { isInNetworks, parseAddress, parseNetwork } from './networks.ts'

/** Maximum number of networks of trusted proxies. */
export const TRUSTED_PROXIES_MAX = 64
/** Maximum number of proxies before this service. */
export const FORWARDED_HOPS_MAX = 16
/** Maximum characters of one element of the header. */
export const FORWARDED_ELEMENT_CHARACTERS_MAX = 256

export class TrustedProxies {
  readonly header = 'x-forwarded-for'
  readonly #networks: Int32Array

  /** @param networks in CIDR notation, each accepted by `parseNetwork` */
  constructor(networks: readonly string[]) {
    const parsed = networks.flatMap(text => parseNetwork(text) ?? [])
    this.#networks = Int32Array.from(parsed.flatMap(network => [...network]))
  }

  /** True if no proxy is trusted. The client is then the peer. */
  get isEmpty(): boolean {
    return this.#networks.length === 0
  }

  /**
   * Returns the right-most address that is not a trusted proxy, or the left-most if all are trusted.
   * @returns null if a trusted proxy names something that is not an address, or a bound is exceeded
   */
  clientOf(peer: Int32Array, value = ''): Int32Array | null {
    let client = peer
    let end = value.length
    for (let hop = 0; end > 0 && isInNetworks(client, this.#networks); hop++) {
      const start = value.lastIndexOf(',', end - 1) + 1
      if (end - start > FORWARDED_ELEMENT_CHARACTERS_MAX || hop >= FORWARDED_HOPS_MAX) return null
      const element = value.slice(start, end).trim()
      // The comma before it is not part of the next element.
      end = start - 1
      // RFC 9110 ignores empty elements. They count as hops, which bounds a row of commas.
      if (element === '') continue
      const address = parseAddress(withoutPort(element))
      if (address === null) return null
      client = address
    }
    return client
  }
}

/** Removes the port of `203.0.113.9:80` and `[2001:db8::1]:80`. */
function withoutPort(node: string): string {
  const [, v6, v4] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/.exec(node) ?? []
  return v6 ?? v4 ?? node
}
