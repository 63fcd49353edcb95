/** Reads the forms that browsers send, and tells those of this session's pages from all others. */
import { randomBytes } from 'node:crypto'
import type { PageContext } from '../dashboard.ts'
import { sameSecret } from './seal.ts'

export class MalformedForm extends Error {
  override readonly name = 'MalformedForm'
}

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i

/** Returns the fields of a form. Multipart bodies can be malformed, so no page sends them. @throws MalformedForm */
export async function readForm(c: PageContext): Promise<URLSearchParams> {
  if (!FORM_TYPE.test(c.req.header('Content-Type') ?? '')) throw new MalformedForm()
  // Hono keeps the text, so that every check and handler of a request may ask for it.
  return new URLSearchParams(await c.req.text())
}

/** Returns a field's text, trimmed; `''` when it is missing. @throws MalformedForm */
export async function formText(c: PageContext, name: string): Promise<string> {
  return (await readForm(c)).get(name)?.trim() ?? ''
}

/**
 * Returns `secret` under a fresh mask: the mask, then the secret combined with it. Pages are compressed, and a secret that
 * stays the same next to text of a stranger's choice could be guessed from the length of the page (the BREACH attack).
 */
export function formToken(secret: string): string {
  const mask = randomBytes(Buffer.byteLength(secret))
  return Buffer.concat([mask, combine(mask, Buffer.from(secret))]).toString('base64url')
}

export function isFormToken(token: string, secret: string): boolean {
  const bytes = Buffer.from(token, 'base64url')
  const half = bytes.length >> 1
  return sameSecret(combine(bytes.subarray(0, half), bytes.subarray(half)).toString(), secret)
}

function combine(mask: Buffer, bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, index) => byte ^ mask[index]))
}
