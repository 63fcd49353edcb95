/** What marks the rows of a key in the meter. */

const bytes = Buffer.alloc(8)

/** Of the key whose first secret has this hash in base64url: its first 32 bits. Never 0. */
export function hashIdentity(hash: string): number {
  bytes.fill(0)
  bytes.write(hash.slice(0, 8), 0, 'base64url')
  return keyIdentity(bytes.readInt32LE(0))
}

/** @param firstWord the first 32 bits of the hash of the key's first secret */
export function keyIdentity(firstWord: number): number {
  return firstWord || 1
}
