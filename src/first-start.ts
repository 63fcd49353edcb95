/** On an empty ledger: one account with the free queries and one key, so that a newcomer can try the service at once. */
import type { Accounts } from './accounts/accounts.ts'

/** The operator's commands know it by `demo` as well. */
export const DEMO_EMAIL = 'demo@localhost'

export interface FirstAccount {
  email: string
  /** The secret of its key; it exists nowhere else. */
  key: string
}

/** Creates the account when there is none at all, else returns null. Durable when it resolves. */
export async function createFirstAccount(accounts: Accounts): Promise<FirstAccount | null> {
  if (accounts.listAccounts().length > 0) return null
  const { id, email } = await accounts.createAccount({ email: DEMO_EMAIL })
  const { key } = await accounts.createKey(id, { label: 'first start' })
  return { email, key }
}
