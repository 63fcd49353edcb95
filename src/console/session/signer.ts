/**
 * Signed text: a value that a browser keeps and can read, but not change. It survives a restart, and needs no
 * memory that strangers could fill. It opens only for its purpose:
 *
 *     base64url of `[endMs, value]` as JSON . HMAC-SHA-256 of purpose and value, with the service's key
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { PRIVATE_MODE, readPrivate } from '../../platform/private-files.ts'
import { writeWhole } from '../../platform/replace-file.ts'
import type { SignedCookie } from './cookies.ts'

const KEY_BYTES = 32

type Purpose = SignedCookie | 'paid'

export type Signer = ReturnType<typeof createSigner>

export function createSigner(key: Buffer, nowMs: () => number = Date.now) {
  /** Returns a secret for `text`, always the same. It reveals nothing about other secrets. */
  const secretOf = (text: string): string =>
    createHmac('sha256', key).update(`secret of ${text}`).digest('base64url')
  const signatureOf = (purpose: Purpose, body: string) => secretOf(`signed ${purpose} ${body}`)

  return {
    secretOf,
    /** Signs a JSON value until `endMs`. Browsers drop cookies of more than 4,000 characters. */
    sign(purpose: Purpose, value: unknown, endMs: number): string {
      const body = Buffer.from(JSON.stringify([endMs, value])).toString('base64url')
      return `${body}.${signatureOf(purpose, body)}`
    },
    /** Returns undefined if the text is expired, malformed, or signed for another purpose. */
    verify(purpose: Purpose, text = ''): unknown {
      const [body = '', signature = ''] = text.split('.')
      if (!sameSecret(signature, signatureOf(purpose, body))) return undefined
      const [endMs, value] = JSON.parse(Buffer.from(body, 'base64url').toString()) as [number, unknown]
      return endMs > nowMs() ? value : undefined
    },
  }
}

/** Compares two secrets in constant time. */
export function sameSecret(guess: string, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(guess), digest(secret))
}

/** Creates a missing file, which ends all sessions. @throws Error if it is not private, or not 32 bytes */
export async function readSigningKey(path: string): Promise<Buffer> {
  const known = await readPrivate(path)
  // Disks lose whole blocks as zeros, and anybody could sign with such a key.
  const isLost = known?.every(byte => byte === 0)
  if (known?.length === KEY_BYTES && !isLost) return known
  if (known !== undefined)
    throw new Error(
      `${path}: found ${known.length} bytes${isLost ? ', all zero' : ''}; expected ${KEY_BYTES} random ones. ` +
        'Remove it and restart. Everybody must then sign in again.',
    )
  const key = randomBytes(KEY_BYTES)
  await writeWhole(path, key, PRIVATE_MODE)
  return key
}
