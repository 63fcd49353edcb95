/**
 * Networks in CIDR notation: `203.0.113.0/24`, `2001:db8::/32`. An address is four words of 32 bits. IPv4 is
 * stored as IPv6 (`::ffff:203.0.113.9`), so one comparison serves both.
 */
import { isIP } from 'node:net'

const ADDRESS_WORDS = 4
/** Words of a network: an address, then its length in bits. */
export const NETWORK_WORDS = ADDRESS_WORDS + 1

const ADDRESS_BITS = 128
const NO_NETWORK = new Int32Array(0)
/** Bits before the IPv4 address in a mapped one. */
const MAPPED_BITS = 96
const MAPPED_WORD = 0x0000ffff
/** Characters of the longest network: six groups of IPv6, an IPv4 address, and a length. */
const TEXT_LENGTH_MAX = 49

/** Returns a network, its further bits cleared; null for other text. Without a length it is one address. */
export function parseNetwork(text: string): Int32Array | null {
  if (text.length > TEXT_LENGTH_MAX) return null
  const [address, prefixText, ...rest] = text.split('/')
  const words = parseAddress(address)
  if (words === null || rest.length > 0) return null
  if (prefixText !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefixText)) return null
  const offset = address.includes(':') ? 0 : MAPPED_BITS
  const bits = prefixText === undefined ? ADDRESS_BITS : Number(prefixText) + offset
  if (bits > ADDRESS_BITS) return null
  const network = new Int32Array(NETWORK_WORDS)
  for (let word = 0; word < ADDRESS_WORDS; word++) network[word] = words[word] & maskOfBits(bits - word * 32)
  network[ADDRESS_WORDS] = bits
  return network
}

/** Returns the words of an address; null for other text. Zones (`fe80::1%eth0`) are not accepted. */
export function parseAddress(text: string): Int32Array | null {
  const version = isIP(text)
  if (version === 0 || text.includes('%')) return null
  return addressWords(version === 4 ? Uint8Array.from(text.split('.'), Number) : bytesOfIPv6(text))
}

/** Returns the words of an address of 4 or 16 bytes in network order; null for any other number of bytes. */
export function addressWords(bytes: Uint8Array): Int32Array | null {
  const words = new Int32Array(ADDRESS_WORDS)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  if (bytes.length === 4) {
    words[2] = MAPPED_WORD
    words[3] = view.getInt32(0)
    return words
  }
  if (bytes.length !== 16) return null
  for (let word = 0; word < ADDRESS_WORDS; word++) words[word] = view.getInt32(word * 4)
  return words
}

export function isInNetworks(address: Int32Array, networks: Int32Array): boolean {
  for (let network = 0; network < networks.length; network += NETWORK_WORDS) {
    const bits = networks[network + ADDRESS_WORDS]
    let differing = 0
    for (let word = 0; word < ADDRESS_WORDS; word++)
      differing |= (address[word] ^ networks[network + word]) & maskOfBits(bits - word * 32)
    if (differing === 0) return true
  }
  return false
}

/** True for an address in one of the networks, all as texts; undefined without a list. */
export function isListed(client: string | null, networks: readonly string[] | null): boolean | undefined {
  const address = parseAddress(client ?? '')
  return networks?.some(text => address !== null && isInNetworks(address, parseNetwork(text) ?? NO_NETWORK))
}

/** The network of IPv6 that has the addresses on the Internet. */
const GLOBAL = ['2000::/3']

/** Networks of IPv4 and GLOBAL that are not on the Internet. */
const NOT_PUBLIC = (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ' +
  '2001::/23 2001:db8::/32 2002::/16 3fff::/20'
).split(' ')

/** True for an address on the Internet. */
export function isPublicAddress(address: string): boolean {
  const isGlobal = isIP(address) === 4 || isListed(address, GLOBAL) === true
  return isGlobal && isListed(address, NOT_PUBLIC) === false
}

/** Returns a network as text: `203.0.113.0/24`, or one address without a length. */
export function networkText(network: Int32Array): string {
  const bits = network[ADDRESS_WORDS]
  const isV4 = isMapped(network) && bits >= MAPPED_BITS
  const length = isV4 ? bits - MAPPED_BITS : bits
  return bits === ADDRESS_BITS ? addressText(network) : `${addressText(network)}/${length}`
}

/** Returns the network that an address is counted for. One person has a whole /64 of IPv6. */
export function networkOfClient(address: Int32Array): string {
  return isMapped(address)
    ? addressText(address)
    : networkText(Int32Array.of(address[0], address[1], 0, 0, 64))
}

export function addressText(words: Int32Array): string {
  if (isMapped(words)) {
    const v4 = words[3]
    return [v4 >>> 24, (v4 >>> 16) & 0xff, (v4 >>> 8) & 0xff, v4 & 0xff].join('.')
  }
  const groups = [...words.subarray(0, ADDRESS_WORDS)].flatMap(word => [word >>> 16, word & 0xffff])
  // `URL` shortens IPv6 by RFC 5952.
  return new URL(`http://[${groups.map(group => group.toString(16)).join(':')}]`).hostname.slice(1, -1)
}

function isMapped(words: Int32Array): boolean {
  return words[0] === 0 && words[1] === 0 && words[2] === MAPPED_WORD
}

/** Returns a word whose first `bits` are ones. `bits` may be below 0 or above 32. */
function maskOfBits(bits: number): number {
  if (bits >= 32) return -1
  return bits <= 0 ? 0 : -1 << (32 - bits)
}

function bytesOfIPv6(text: string): Uint8Array {
  const [head, tail] = text.split('::')
  const first = bytesOfGroups(head)
  const last = tail === undefined ? [] : bytesOfGroups(tail)
  const zeros = new Array<number>(16 - first.length - last.length).fill(0)
  return Uint8Array.from([...first, ...zeros, ...last])
}

/** Returns the bytes of groups; the last may be IPv4. */
function bytesOfGroups(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap(group => {
    if (group.includes('.')) return group.split('.').map(Number)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}
