import { EMAIL_LENGTH_MAX } from '../../billing/limits.ts'

/**
 * Issuer of the ledger's identities that record a proved email address, with the address as their subject. No provider can claim
 * this issuer, because issuers are http addresses.
 */
export const PROVED_EMAIL = 'urn:postrie:proved-email'

/**
 * Returns the confirmed address of a person in lower case; null if the provider does not confirm it. Only A to Z change. Null also
 * for an address that Unicode would fold into another one, as it folds the Kelvin sign into the letter k.
 */
export function provedEmail(person: { email: string | null; emailVerified: boolean }): string | null {
  const { email, emailVerified } = person
  if (!emailVerified || email === null || email.length > EMAIL_LENGTH_MAX) return null
  const key = email.replace(/[A-Z]/g, letter => letter.toLowerCase())
  const isFolded = key === email.normalize('NFKC').toLowerCase()
  // \p{C}: controls, invisible marks, lone surrogates.
  return isFolded && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(key) ? key : null
}
