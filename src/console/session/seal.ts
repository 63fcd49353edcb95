/**
 * Sealed text: a value that a browser keeps, but can neither read nor change. It survives a restart, and needs no memory that
 * strangers could fill.
 *
 *     base64url( salt 16 bytes | AES-256-GCM of `[endMs, value]` as JSON | tag 16 bytes )
 *
 * Key and nonce of each text are derived (HKDF-SHA-256) from the service's key, the salt and the purpose. Strangers can
 * request any number of texts: random nonces of 12 bytes would repeat, 16 bytes of salt do not. A text opens only for its purpose.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { readPrivate, replacePrivate } from '../store/private-file.ts'
import type { SealedCookie } from './cookies.ts'

const KEY_BYTES = 32
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'
/** Maximum characters of a sealed text. Browsers drop larger cookies. */
const SEALED_LENGTH_MAX = 4000

type Purpose = SealedCookie | 'paid'

export type Seal = ReturnType<typeof sealOf>

export function sealOf(key: Buffer, nowMs: () => number = Date.now) {
  const derive = (purpose: Purpose, salt: Buffer): [key: Buffer, nonce: Buffer] => {
    const bytes = Buffer.from(hkdfSync('sha256', key, salt, `postrie ${purpose}`, KEY_BYTES + NONCE_BYTES))
    return [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)]
  }

  return {
    /** Seals a JSON value until `endMs`. @throws Error if the text would be too long to open */
    seal(purpose: Purpose, value: unknown, endMs: number): string {
      const salt = randomBytes(SALT_BYTES)
      const cipher = createCipheriv(CIPHER, ...derive(purpose, salt))
      const body = [cipher.update(JSON.stringify([endMs, value])), cipher.final()]
      const text = Buffer.concat([salt, ...body, cipher.getAuthTag()]).toString('base64url')
      if (text.length > SEALED_LENGTH_MAX) throw new Error(`the value is too long to seal for ${purpose}`)
      return text
    },
    /** Returns the value of a sealed text; undefined if it is expired, malformed, or sealed for another purpose. */
    open(purpose: Purpose, text: string | undefined): unknown {
      if (text === undefined || text.length > SEALED_LENGTH_MAX) return undefined
      const bytes = Buffer.from(text, 'base64url')
      const end = bytes.length - TAG_BYTES
      if (end < SALT_BYTES) return undefined
      const decipher = createDecipheriv(CIPHER, ...derive(purpose, bytes.subarray(0, SALT_BYTES)))
      decipher.setAuthTag(bytes.subarray(end))
      let json: string
      try {
        json = decipher.update(bytes.subarray(SALT_BYTES, end), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return undefined
      }
      const [endMs, value] = JSON.parse(json) as [number, unknown]
      return endMs > nowMs() ? value : undefined
    },
    /** Returns a secret for `text`, always the same. It reveals nothing about other secrets. */
    secretOf(text: string): string {
      return createHmac('sha256', key).update(`secret of ${text}`).digest('base64url')
    },
  }
}

/**
 * Returns the key in the file at `path`, and creates the file if it is missing. Removing the file ends all sessions.
 * @throws Error if the file is not private, not 32 bytes long, or zeroed
 */
export async function readSealKey(path: string): Promise<Buffer> {
  const known = await readPrivate(path)
  // Disks lose whole blocks as zeros, and anybody could seal with such a key.
  const isLost = known?.every(byte => byte === 0)
  if (known?.length === KEY_BYTES && !isLost) return known
  if (known !== undefined)
    throw new Error(
      `${path}: found ${known.length} bytes${isLost ? ', all zero' : ''}; expected ${KEY_BYTES} random ones. ` +
        'Remove it and restart. Everybody must then sign in again.',
    )
  const key = randomBytes(KEY_BYTES)
  await replacePrivate(path, key)
  return key
}
