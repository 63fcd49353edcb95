import { EMAIL_LENGTH_MAX } from '../../billing/limits.ts'

/** Issuer of identities whose subject is a proved address. Issuers of providers begin with http. */
export const PROVED_EMAIL = 'urn:postrie:proved-email'

/** Returns the confirmed address in lower case; null if Unicode folding changes it, as the Kelvin sign into k. */
export function provedEmail(person: { email: string | null; emailVerified: boolean }): string | null {
  const { email, emailVerified } = person
  if (!emailVerified || email === null || email.length > EMAIL_LENGTH_MAX) return null
  const key = email.replace(/[A-Z]/g, letter => letter.toLowerCase())
  const isUnchanged = key === email.normalize('NFKC').toLowerCase()
  // \p{C}: controls, invisible marks, lone surrogates.
  return isUnchanged && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(key) ? key : null
}
