/** Bytes that threads share without a copy. */

/** Returns the bytes of all `parts`, on shared memory. */
export function sharedBytes(parts: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.from(new SharedArrayBuffer(parts.reduce((sum, { length }) => sum + length, 0)))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Returns the UTF-8 text of `bytes`, which may have come from another thread. */
export function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
}
