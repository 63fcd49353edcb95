/**
 * Networks of addresses in CIDR notation, such as `203.0.113.0/24` and `2001:db8::/32`. An address is four words of 32 bits, an
 * IPv4 address being the IPv6 address that stands for it (`::ffff:203.0.113.9`), so that there is one comparison for both.
 */
import { isIP, isIPv4 } from 'node:net'

/** Words of an address, and of a network: its address, and its length in bits of 128. */
const ADDRESS_WORDS = 4
export const NETWORK_WORDS = ADDRESS_WORDS + 1

const ADDRESS_BITS = 128
/** Bits before an IPv4 address, and the word that is not zero among them. */
const MAPPED_BITS = 96
const MAPPED_WORD = 0x0000ffff
const GROUPS = 8
/** `ffff:` eight times and a length, with an IPv4 address at the end at most. */
const TEXT_LENGTH_MAX = 50

/**
 * The words of a network, bits beyond its length cleared; null when `text` is not one. Without a length it is a single address.
 * An IPv4 address that is written as IPv6 is one of IPv4.
 */
export function parseNetwork(text: string): Int32Array | null {
  if (text.length > TEXT_LENGTH_MAX) return null
  const [address, length, ...rest] = text.split('/')
  const words = parseAddress(address)
  if (words === null || rest.length > 0) return null
  const offset = isIPv4(address) ? MAPPED_BITS : 0
  if (length !== undefined && !/^(0|[1-9]\d{0,2})$/.test(length)) return null
  const bits = length === undefined ? ADDRESS_BITS : Number(length) + offset
  if (bits > ADDRESS_BITS) return null
  const network = new Int32Array(NETWORK_WORDS)
  for (let word = 0; word < ADDRESS_WORDS; word++) network[word] = words[word] & maskOf(bits - word * 32)
  network[ADDRESS_WORDS] = bits
  return network
}

/** The words of an address; null when `text` is not one. Zones (`fe80::1%eth0`) are not accepted. */
export function parseAddress(text: string): Int32Array | null {
  if (isIP(text) === 0 || text.includes('%')) return null
  if (isIPv4(text)) return addressWords(Uint8Array.from(text.split('.'), Number))
  return addressWords(bytesOfIPv6(text))
}

/** The words of an address of 4 or 16 bytes in network order; null for any other number of bytes. */
export function addressWords(bytes: Uint8Array): Int32Array | null {
  const words = new Int32Array(ADDRESS_WORDS)
  if (bytes.length === 4) {
    words[2] = MAPPED_WORD
    words[3] = wordAt(bytes, 0)
    return words
  }
  if (bytes.length !== 16) return null
  for (let word = 0; word < ADDRESS_WORDS; word++) words[word] = wordAt(bytes, word * 4)
  return words
}

/** True if one of the `count` networks that begin at `networks[start]` has the address. Costs some nanoseconds for each. */
export function isInNetworks(
  address: Int32Array,
  networks: Int32Array,
  start: number,
  count: number,
): boolean {
  for (let network = start; network < start + count * NETWORK_WORDS; network += NETWORK_WORDS) {
    const bits = networks[network + ADDRESS_WORDS]
    let differing = 0
    for (let word = 0; word < ADDRESS_WORDS; word++)
      differing |= (address[word] ^ networks[network + word]) & maskOf(bits - word * 32)
    if (differing === 0) return true
  }
  return false
}

/** A network as people write it: `203.0.113.0/24`; a single address without its length. */
export function networkText(network: Int32Array): string {
  const bits = network[ADDRESS_WORDS]
  const isV4 = isMapped(network) && bits >= MAPPED_BITS
  const length = isV4 ? bits - MAPPED_BITS : bits
  return bits === ADDRESS_BITS ? addressText(network) : `${addressText(network)}/${length}`
}

/** An address as people write it: IPv6 with its longest row of zeros left out, as RFC 5952 has it. */
export function addressText(words: Int32Array): string {
  if (isMapped(words)) {
    const v4 = words[3]
    return [v4 >>> 24, (v4 >>> 16) & 0xff, (v4 >>> 8) & 0xff, v4 & 0xff].join('.')
  }
  const groups = Array.from({ length: GROUPS }, (_, i) => (words[i >> 1] >>> (i % 2 === 0 ? 16 : 0)) & 0xffff)
  // The parser of addresses shortens IPv6 in this way.
  return new URL(`http://[${groups.map(group => group.toString(16)).join(':')}]`).hostname.slice(1, -1)
}

function isMapped(words: Int32Array): boolean {
  return words[0] === 0 && words[1] === 0 && words[2] === MAPPED_WORD
}

/** The first `bits` of 32 as ones; all for more, none for fewer than one. */
function maskOf(bits: number): number {
  if (bits >= 32) return -1
  return bits <= 0 ? 0 : -1 << (32 - bits)
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
}

/** @param text which `isIP` has accepted */
function bytesOfIPv6(text: string): Uint8Array {
  const [head, tail] = text.split('::')
  const first = groupsOf(head)
  const last = tail === undefined ? [] : groupsOf(tail)
  const zeros = new Array<number>(16 - first.length - last.length).fill(0)
  return Uint8Array.from([...first, ...zeros, ...last])
}

/** The bytes of groups, the last of which may be an IPv4 address. */
function groupsOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap(group => {
    if (group.includes('.')) return group.split('.').map(Number)
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}
