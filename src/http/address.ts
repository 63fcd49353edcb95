/** Whom connections and failed keys are counted for. */

const MAPPED_IPV4 = '00000000000000000000ffff'
const NETWORK_DIGITS = 16

/** An IPv4 address, also when written as IPv6, or the /64 of an IPv6 address, in hex. Empty for a closed connection. */
export function addressKey(address: ArrayBuffer): string {
  return hexAddressKey(Buffer.from(address).toString('hex'))
}

/** As `addressKey`, from 8 or 32 hex digits in network order. */
export function hexAddressKey(hex: string): string {
  if (hex.startsWith(MAPPED_IPV4)) return hex.slice(MAPPED_IPV4.length)
  return hex.slice(0, NETWORK_DIGITS)
}

/** As `addressKey`, from the four words of an address. */
export function wordsAddressKey(words: Int32Array): string {
  return hexAddressKey(Array.from(words, word => (word >>> 0).toString(16).padStart(8, '0')).join(''))
}
