/** Form of an API key: `pk_live_`, 30 random characters of base 62, 6 characters of checksum. */
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

export const KEY_PREFIX = 'pk_live_'
const RANDOM_CHARACTERS = 30
const CHECKSUM_CHARACTERS = 6
const CHECKED_BYTES = KEY_PREFIX.length + RANDOM_CHARACTERS
export const SECRET_BYTES = CHECKED_BYTES + CHECKSUM_CHARACTERS
/** Stored and shown characters of a key, prefix included. */
export const SHOWN_CHARACTERS = 12

/** Returns only the start of a whole key, for addresses and messages; any other text unchanged. */
export const withoutSecret = (text: string): string =>
  text.startsWith(KEY_PREFIX) ? text.slice(0, SHOWN_CHARACTERS) : text

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function newSecret(): string {
  const checked = KEY_PREFIX + randomText(RANDOM_CHARACTERS)
  return checked + checksumText(Buffer.from(checked))
}

export function randomText(length: number): string {
  let text = ''
  for (let index = 0; index < length; index++) text += DIGITS[randomInt(DIGITS.length)]
  return text
}

/** Checks form and checksum, so that a mistyped key costs no hash. */
export function isSecret(bytes: Uint8Array): boolean {
  if (bytes.length !== SECRET_BYTES) return false
  const secret = Buffer.from(bytes.buffer, bytes.byteOffset, SECRET_BYTES)
  const checked = secret.subarray(0, CHECKED_BYTES)
  return (
    secret.toString('latin1', 0, KEY_PREFIX.length) === KEY_PREFIX &&
    secret.toString('latin1', CHECKED_BYTES) === checksumText(checked)
  )
}

export function secretHash(secret: Uint8Array): string {
  return hash('sha256', secret, 'base64url')
}

function checksumText(checked: Uint8Array): string {
  let checksum = crc32(checked)
  let text = ''
  for (let index = 0; index < CHECKSUM_CHARACTERS; index++) {
    text = DIGITS[checksum % DIGITS.length] + text
    checksum = Math.floor(checksum / DIGITS.length)
  }
  return text
}
