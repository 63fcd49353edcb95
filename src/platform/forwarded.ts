/**
 * Finds the client behind trusted proxies. Each proxy appends the address it sees to `X-Forwarded-For` or `Forwarded` (RFC 7239). The
 * header is read from its end, up to the first address that is not a trusted proxy. Everything to its left may be forged.
 */
import { isInNetworks, parseAddress, parseNetwork } from './networks.ts'

/** Maximum number of networks of trusted proxies. */
export const TRUSTED_PROXIES_MAX = 64
/** Maximum number of proxies before this service. */
export const FORWARDED_HOPS_MAX = 16
/** Maximum characters of one element of the header. */
export const FORWARDED_ELEMENT_CHARACTERS_MAX = 256

/** Headers of which only the configured one is read. A proxy forwards the other as the client wrote it. */
export const PROXY_HEADERS = ['x-forwarded-for', 'forwarded'] as const
export type ProxyHeader = (typeof PROXY_HEADERS)[number]

export interface ProxySettings {
  /** Networks in CIDR notation, each accepted by `parseNetwork`. */
  networks: readonly string[]
  header: ProxyHeader
}

export const NO_PROXIES: ProxySettings = { networks: [], header: 'x-forwarded-for' }

export class TrustedProxies {
  readonly header: ProxyHeader
  readonly #networks: Int32Array
  constructor({ networks, header }: ProxySettings) {
    const parsed = networks.flatMap(text => parseNetwork(text) ?? [])
    this.header = header
    this.#networks = Int32Array.from(parsed.flatMap(network => [...network]))
  }

  /** True if no proxy is trusted. The client is then the peer. */
  get isEmpty(): boolean {
    return this.#networks.length === 0
  }

  /**
   * Returns the client's address: the peer, or the right-most address that is not a trusted proxy. If all are trusted, the left-most.
   * @param peer the address of the connection
   * @param value the header's lines, joined by commas
   * @returns null if a trusted proxy names something that is not an address, or a bound is exceeded
   */
  clientOf(peer: Int32Array, value = ''): Int32Array | null {
    const isStandard = this.header === 'forwarded'
    let client = peer
    let end = value.length
    for (let hop = 0; end > 0 && isInNetworks(client, this.#networks); hop++) {
      const start = elementStart(value, end, isStandard)
      if (start < 0 || hop >= FORWARDED_HOPS_MAX) return null
      const element = value.slice(start, end).trim()
      // The comma before it is not part of the next element.
      end = start - 1
      // RFC 9110 ignores empty elements. They count as hops, which bounds a row of commas.
      if (element === '') continue
      const node = isStandard ? forParameter(element) : element
      const address = node === null ? null : parseAddress(withoutPort(node))
      if (address === null) return null
      client = address
    }
    return client
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c

/** Returns the start of the last element of `text[0, end)`; -1 if it is too long or a quote is unpaired. */
function elementStart(text: string, end: number, hasQuotes: boolean): number {
  const first = Math.max(0, end - FORWARDED_ELEMENT_CHARACTERS_MAX)
  let isQuoted = false
  for (let at = end - 1; at >= first; at--) {
    const unit = text.charCodeAt(at)
    if (unit === COMMA && !isQuoted) return at + 1
    if (unit === QUOTE && hasQuotes && !isEscaped(text, at, first)) isQuoted = !isQuoted
  }
  return first === 0 && !isQuoted ? 0 : -1
}

/** True if an odd number of backslashes precedes the character at `at`. */
function isEscaped(text: string, at: number, first: number): boolean {
  let before = at
  while (before > first && text.charCodeAt(before - 1) === BACKSLASH) before--
  return (at - before) % 2 === 1
}

/** One parameter of an element of `Forwarded`, and the semicolon after it. */
const PARAMETER = /\s*([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s";,]*)\s*(?:;|$)/y

/** Returns the value of `for` in an element of `Forwarded`; null if it is malformed, missing or repeated. */
function forParameter(element: string): string | null {
  let node: string | null = null
  const parameter = new RegExp(PARAMETER)
  while (parameter.lastIndex < element.length) {
    const [, name = '', value = ''] = parameter.exec(element) ?? []
    if (name === '') return null
    if (name.toLowerCase() !== 'for') continue
    if (node !== null) return null
    node = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value
  }
  return node
}

/** Removes the port of `203.0.113.9:80` and `[2001:db8::1]:80`. RFC 7239 allows an obfuscated name for the port. */
function withoutPort(node: string): string {
  const [, v6, v4] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node) ?? []
  return v6 ?? v4 ?? node
}
