import { createHash } from 'node:crypto'
import { identityKey } from '../../ledger/book/book.ts'

/** Characters of the address that a name shows. */
const LABEL_LENGTH_MAX = 200

/**
 * What an account is called whose owner has not proved the address `email`: `ada@example.com (unverified 1f0c…)`. The
 * space makes it a name that no address equals, and the digest of the identity one that nobody else has. Characters that
 * could disguise the address (controls, marks of direction, spaces, lone surrogates) are left out.
 */
export function unverifiedName(email: string, issuer: string, subject: string): string {
  const characters = [...email.replace(/[\p{C}\p{Z}]/gu, '').toLowerCase()]
  const digest = createHash('sha256').update(identityKey(issuer, subject)).digest('hex').slice(0, 16)
  return `${characters.slice(0, LABEL_LENGTH_MAX).join('')} (unverified ${digest})`
}
