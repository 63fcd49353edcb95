/** Finds or opens the account of a person who has signed in. */

import { AccountError } from '../../accounts/account-error.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountView } from '../../accounts/views.ts'
import { EMAIL_LENGTH_MAX } from '../../limits.ts'
import { PROVED_EMAIL } from '../session/access.ts'
import type { Person } from './relying-party.ts'

export type Welcome = { account: AccountView; isNew: boolean } | { refusal: string }

/**
 * Returns the account of this person, who is known by issuer and subject alone. At the first sign-in that is
 *
 * 1. with an address that the provider vouches for: the account whose owner has proved it with another provider, or the
 *    one that an operator opened with it and nobody has signed in to, else a new account of that address;
 * 2. with such an address whose account is somebody else's, or with an unproved one that no account has: a new account
 *    that bears the address as a label only;
 * 3. with an unproved address that an account has: none.
 */
export async function accountOf(accounts: Accounts, person: Person): Promise<Welcome> {
  const { issuer, subject } = person
  const identity = { issuer, subject }
  const proved = provedEmail(person)
  const linked = accounts.accountByIdentity(issuer, subject)
  if (linked !== undefined) {
    const isNews = proved === linked.email && accounts.accountByIdentity(PROVED_EMAIL, proved) === undefined
    if (isNews && isOnlySignIn(accounts, linked, person)) await prove(accounts, linked, proved)
    return { account: linked, isNew: false }
  }
  if (person.email === null) {
    return {
      refusal: 'The identity provider did not share your email address. Allow it to, then sign in again.',
    }
  }
  try {
    if (proved !== null) {
      const owned = ownedBy(accounts, proved, issuer)
      if (owned !== undefined) {
        await accounts.linkIdentity(owned.id, identity)
        return { account: await prove(accounts, owned, proved), isNew: false }
      }
      if (accounts.account(proved) === undefined) {
        const made = await accounts.createAccount({ email: proved, identity })
        return { account: await prove(accounts, made, proved), isNew: true }
      }
    }
    if (proved === null && accounts.account(person.email) !== undefined) {
      return {
        refusal: `The identity provider does not confirm that ${person.email} is your address, and there is an account with it. Confirm the address there, then sign in again.`,
      }
    }
    const made = await accounts.createAccount({ email: person.email, identity, isUnverified: true })
    return { account: made, isNew: true }
  } catch (error) {
    if (error instanceof AccountError && error.code !== 'UNAVAILABLE') return { refusal: error.message }
    throw error
  }
}

/**
 * Returns the address as a key, or null when the provider does not vouch for it. Only A to Z change their case. An address that
 * Unicode would fold into another one, as it folds the Kelvin sign into the letter k, is not a key.
 */
export function provedEmail({ email, emailVerified }: Person): string | null {
  if (!emailVerified || email === null || email.length > EMAIL_LENGTH_MAX) return null
  const key = email.replace(/[A-Z]/g, letter => letter.toLowerCase())
  const isFolded = key === email.normalize('NFKC').toLowerCase()
  // \p{C}: controls, invisible marks, lone surrogates.
  return isFolded && /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u.test(key) ? key : null
}

function ownedBy(accounts: Accounts, email: string, issuer: string): AccountView | undefined {
  const proved = accounts.accountByIdentity(PROVED_EMAIL, email)
  // The same provider, another subject: it has given the address to somebody else.
  if (proved !== undefined)
    return signInsOf(accounts, proved).some(known => known.issuer === issuer) ? undefined : proved
  const opened = accounts.account(email)
  return opened !== undefined && signInsOf(accounts, opened).length === 0 ? opened : undefined
}

function isOnlySignIn(accounts: Accounts, account: AccountView, { issuer, subject }: Person): boolean {
  return signInsOf(accounts, account).every(known => known.issuer === issuer && known.subject === subject)
}

function signInsOf(accounts: Accounts, account: AccountView) {
  return accounts.identities(account.id).filter(({ issuer }) => issuer !== PROVED_EMAIL)
}

function prove(accounts: Accounts, account: AccountView, email: string): Promise<AccountView> {
  return accounts.linkIdentity(account.id, { issuer: PROVED_EMAIL, subject: email })
}
