import { expectAccountError } from '../../billing/accounts/account-error.ts'
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { PROVED_EMAIL, provedEmail } from '../session/proved-email.ts'
import type { Person } from './relying-party.ts'

type Welcome = { account: AccountView; isNew: boolean } | { refusal: string }

/**
 * Returns the account of a person, whom issuer and subject identify. At the first sign-in, it depends on the
 * address:
 *
 * 1. confirmed: the account with this address proved through another provider, or opened by an operator
 *    without a sign-in so far, or else a new account of this address;
 * 2. confirmed, but its account is somebody else's, or unconfirmed without one: a new account with a label;
 * 3. unconfirmed with an account: a refusal.
 */
export async function findOrCreateAccount(accounts: Accounts, person: Person): Promise<Welcome> {
  const { issuer, subject } = person
  const identity = { issuer, subject }
  const proved = provedEmail(person)
  const linked = accounts.accountByIdentity(issuer, subject)
  if (linked !== undefined) {
    const isNews = proved === linked.email && accounts.accountByIdentity(PROVED_EMAIL, proved) === undefined
    if (isNews && signInsOf(accounts, linked).length === 1) await prove(accounts, linked, proved)
    return { account: linked, isNew: false }
  }
  if (person.email === null)
    return {
      refusal: 'The identity provider did not share your email address. Allow it to, then sign in again.',
    }
  try {
    if (proved !== null) {
      const owned = ownedBy(accounts, proved, issuer)
      if (owned !== undefined) {
        await accounts.linkIdentity(owned.id, identity)
        return { account: await prove(accounts, owned, proved), isNew: false }
      }
      if (accounts.account(proved) === undefined) {
        const created = await accounts.createAccount({ email: proved, identity })
        return { account: await prove(accounts, created, proved), isNew: true }
      }
    }
    if (proved === null && accounts.account(person.email) !== undefined)
      return {
        refusal: `There is an account with the address ${person.email}, but the identity provider does not confirm that the address is yours. Confirm it there, then sign in again.`,
      }
    const account = await accounts.createAccount({ email: person.email, identity, isUnverified: true })
    return { account, isNew: true }
  } catch (error) {
    return { refusal: expectAccountError(error).message }
  }
}

function ownedBy(accounts: Accounts, email: string, issuer: string): AccountView | undefined {
  const proved = accounts.accountByIdentity(PROVED_EMAIL, email)
  // The same provider with another subject has given the address to another person.
  if (proved !== undefined)
    return signInsOf(accounts, proved).some(known => known.issuer === issuer) ? undefined : proved
  const opened = accounts.account(email)
  return opened !== undefined && signInsOf(accounts, opened).length === 0 ? opened : undefined
}

function signInsOf(accounts: Accounts, account: AccountView) {
  return accounts.identities(account.id).filter(({ issuer }) => issuer !== PROVED_EMAIL)
}

function prove(accounts: Accounts, account: AccountView, email: string): Promise<AccountView> {
  return accounts.linkIdentity(account.id, { issuer: PROVED_EMAIL, subject: email })
}
