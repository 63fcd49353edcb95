/**
 * The session's secret as a form carries it, under another mask on every page. Pages are compressed, and a secret that
 * stays the same next to text of a stranger's choice could be guessed from the length of the page (the BREACH attack).
 */
import { randomBytes } from 'node:crypto'
import { sameSecret } from './seal.ts'

/** `secret` under a fresh mask: the mask, then the secret combined with it. */
export function formToken(secret: string): string {
  const mask = randomBytes(Buffer.byteLength(secret))
  return Buffer.concat([mask, combine(mask, Buffer.from(secret))]).toString('base64url')
}

/** True when `token` is `secret` under any mask. */
export function isFormToken(token: string, secret: string): boolean {
  const bytes = Buffer.from(token, 'base64url')
  const half = bytes.length >> 1
  return sameSecret(combine(bytes.subarray(0, half), bytes.subarray(half)).toString(), secret)
}

function combine(mask: Buffer, bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, at) => byte ^ mask[at]))
}
