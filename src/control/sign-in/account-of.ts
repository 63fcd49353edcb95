/** Which account a person who has signed in owns. */
import type { Accounts } from '../../accounts/accounts.ts'
import { AccountError } from '../../accounts/errors.ts'
import type { AccountView } from '../../accounts/views.ts'
import type { Person } from './relying-party.ts'

export type Welcome = { account: AccountView; isNew: boolean } | { refusal: string }

/**
 * The account linked to this person; else the one with the person's email, when the provider vouches for that address,
 * which is how somebody takes over the account that an operator opened; else a new one with the free queries.
 */
export async function accountOf(accounts: Accounts, person: Person): Promise<Welcome> {
  const { issuer, subject, email, emailVerified } = person
  const identity = { issuer, subject }
  const linked = accounts.accountByIdentity(issuer, subject)
  if (linked !== undefined) return { account: linked, isNew: false }
  if (email === null)
    return { refusal: 'The provider did not tell an email address, which an account needs.' }
  const known = accounts.account(email)
  if (known !== undefined && !emailVerified) {
    return {
      refusal: `The provider does not vouch for ${email}, and there is an account with that address already.`,
    }
  }
  try {
    if (known !== undefined) return { account: await accounts.linkIdentity(known.id, identity), isNew: false }
    return { account: await accounts.createAccount({ email, identity }), isNew: true }
  } catch (error) {
    if (error instanceof AccountError && error.code !== 'UNAVAILABLE') return { refusal: error.message }
    throw error
  }
}
