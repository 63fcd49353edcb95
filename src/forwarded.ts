/**
 * Whose request a proxy passes on. Proxies append the address that they see to `X-Forwarded-For`, or to `Forwarded` (RFC 7239), so
 * the header is read from its end, and only as far as the addresses are those of proxies that the operator trusts: whatever is to
 * the left of that, the client may have written itself.
 */
import { isInNetworks, parseAddress, parseNetwork } from './networks.ts'

/** Networks of trusted proxies; proxies between a client and this service; characters that one may say about its client. */
export const TRUSTED_PROXIES_MAX = 64
export const FORWARDED_HOPS_MAX = 16
export const FORWARDED_ELEMENT_CHARACTERS_MAX = 256

/** Only one of them is read: a proxy that sets one passes the other on as the client wrote it. */
export const PROXY_HEADERS = ['x-forwarded-for', 'forwarded'] as const
export type ProxyHeader = (typeof PROXY_HEADERS)[number]

export interface ProxySettings {
  /** In CIDR notation. `parseNetwork` accepts each of them. */
  networks: readonly string[]
  header: ProxyHeader
}

export const NO_PROXIES: ProxySettings = { networks: [], header: 'x-forwarded-for' }

export class TrustedProxies {
  readonly header: ProxyHeader
  readonly #networks: Int32Array
  readonly #count: number

  constructor({ networks, header }: ProxySettings) {
    const parsed = networks.flatMap(text => parseNetwork(text) ?? [])
    this.header = header
    this.#count = parsed.length
    this.#networks = Int32Array.from(parsed.flatMap(network => [...network]))
  }

  /** True if none is trusted, so that every client is who is connected. */
  get isEmpty(): boolean {
    return this.#count === 0
  }

  /**
   * The address of a client: the peer's, or when that is a trusted proxy, the right-most one of the header that is not. A chain of
   * nothing but trusted proxies began at its first. Costs some 200 ns for each proxy.
   * @param peer the address of the connection
   * @param value of the header, several lines joined by commas; undefined: there is none
   * @returns null when a trusted proxy names something that is not an address, or nothing within the bounds
   */
  clientOf(peer: Int32Array, value = ''): Int32Array | null {
    const isStandard = this.header === 'forwarded'
    let client = peer
    let end = value.length
    for (let hop = 0; end > 0 && isInNetworks(client, this.#networks, 0, this.#count); hop++) {
      const start = elementStart(value, end, isStandard)
      if (start < 0 || hop >= FORWARDED_HOPS_MAX) return null
      const element = value.slice(start, end).trim()
      // The comma before it is not part of the next element.
      end = start - 1
      // RFC 9110 has empty elements ignored. They count as hops, so that a row of commas ends here.
      if (element === '') continue
      const node = isStandard ? forOf(element) : element
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

/** Where the last element of `text[0, end)` begins; -1 when it is too long or a quotation in it does not begin. */
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
const PARAMETER = /\s*([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s";,]*)\s*(?:;|$)/gy

/** The value of `for` in an element of `Forwarded`; null when it is malformed, or has none or several. */
function forOf(element: string): string | null {
  let node: string | null = null
  PARAMETER.lastIndex = 0
  for (let at = 0; at < element.length; at = PARAMETER.lastIndex) {
    const [, name = '', value = ''] = PARAMETER.exec(element) ?? []
    if (name === '') return null
    if (name.toLowerCase() !== 'for') continue
    if (node !== null) return null
    node = value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value
  }
  return node
}

/** `203.0.113.9:80` and `[2001:db8::1]:80` as addresses. A port may be a name that hides it, as RFC 7239 allows. */
function withoutPort(node: string): string {
  const [, v6, v4] = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node) ?? []
  return v6 ?? v4 ?? node
}
