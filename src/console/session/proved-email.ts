import { EMAIL_LENGTH_MAX } from '../../billing/limits.ts'

/** Issuer of identities that record a proved address, which is their subject. No provider can claim it: their issuers are http addresses. */
export const PROVED_EMAIL = 'urn:postrie:proved-email'

/** Returns the confirmed address in lower case; null if it is not confirmed, or if Unicode folds it, as it folds the Kelvin sign into k. */
export function provedEmail(person: { email: string | null; emailVerified: boolean }): string | null {
  const { email, emailVerified } = person
  if (!emailVerified || email === null || email.length > EMAIL_LENGTH_MAX) return null
  const key = email.replace(/[A-Z]/g, letter => letter.toLowerCase())
  const isFolded = key === email.normalize('NFKC').toLowerCase()
  // \p{C}: controls, invisible marks, lone surrogates.
  return isFolded && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(key) ? key : null
}
