/**
 * Sealed text: a value that a browser keeps for the dashboard and can neither read nor change. It takes the place of
 * memory that strangers could fill, and it survives a restart.
 *
 *     base64url( salt 16 bytes | AES-256-GCM of `[endMs, value]` as JSON | tag 16 bytes )
 *
 * Key and nonce of each text are derived (HKDF-SHA-256) from the service's key, the salt and the purpose. Strangers may
 * ask for any number of texts, and random nonces under one key would repeat in the end; 16 random bytes of salt do not. A
 * text that was sealed for one purpose opens for no other.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { readPrivate, replacePrivate } from '../store/private-file.ts'

const KEY_BYTES = 32
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'
/** Maximum characters of a sealed text: browsers keep no larger cookie. */
const SEALED_LENGTH_MAX = 4000

export type Purpose =
  | 'session'
  | 'sign-in'
  | 'development'
  | 'test payment'
  | 'paid'
  | 'onward'
  | 'known browser'
  | 'ended form'
  | 'invitation'

export class Seal {
  readonly #key: Buffer
  readonly #nowMs: () => number

  constructor(key: Buffer, nowMs: () => number = Date.now) {
    this.#key = key
    this.#nowMs = nowMs
  }

  /** Returns `value`, which JSON can hold, as text that opens until `endMs`. */
  seal(purpose: Purpose, value: unknown, endMs: number): string {
    const salt = randomBytes(SALT_BYTES)
    const cipher = createCipheriv(CIPHER, ...this.#derive(purpose, salt))
    const body = [cipher.update(JSON.stringify([endMs, value])), cipher.final()]
    return Buffer.concat([salt, ...body, cipher.getAuthTag()]).toString('base64url')
  }

  /** Returns the value of a text that was sealed for `purpose` and whose time has not passed, else undefined. */
  open(purpose: Purpose, text: string | undefined): unknown {
    if (text === undefined || text.length > SEALED_LENGTH_MAX) return undefined
    const bytes = Buffer.from(text, 'base64url')
    const end = bytes.length - TAG_BYTES
    if (end < SALT_BYTES) return undefined
    const decipher = createDecipheriv(CIPHER, ...this.#derive(purpose, bytes.subarray(0, SALT_BYTES)))
    decipher.setAuthTag(bytes.subarray(end))
    let json: string
    try {
      json = decipher.update(bytes.subarray(SALT_BYTES, end), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      return undefined
    }
    const [endMs, value] = JSON.parse(json) as [number, unknown]
    return endMs > this.#nowMs() ? value : undefined
  }

  /** Returns the secret of `text`. It is the same each time and reveals nothing of any other. */
  secretOf(text: string): string {
    return createHmac('sha256', this.#key).update(`secret of ${text}`).digest('base64url')
  }

  #derive(purpose: Purpose, salt: Buffer): [key: Buffer, nonce: Buffer] {
    const bytes = Buffer.from(
      hkdfSync('sha256', this.#key, salt, `postrie ${purpose}`, KEY_BYTES + NONCE_BYTES),
    )
    return [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)]
  }
}

/**
 * Returns the key in the file at `path`, which is made at the first start. Removing the file ends all sessions.
 * @throws Error when the file is not private or not 32 bytes long
 */
export async function readSealKey(path: string): Promise<Buffer> {
  const known = await readPrivate(path)
  if (known?.length === KEY_BYTES) return known
  if (known !== undefined)
    throw new Error(
      `${path}: found ${known.length} bytes; expected ${KEY_BYTES}. ` +
        'Remove it and start again: everybody then has to sign in again.',
    )
  const key = randomBytes(KEY_BYTES)
  await replacePrivate(path, key)
  return key
}

/** Compares in a time that does not depend on how much of a guess is right. */
export function sameSecret(guess: string, secret: string): boolean {
  const digest = (text: string) => createHmac('sha256', 'compare').update(text).digest()
  return timingSafeEqual(digest(guess), digest(secret))
}
