/** Creates the first account of an empty ledger, with one key, so that a newcomer can try the service. */
import { AccountError } from './accounts/account-error.ts'
import type { Accounts } from './accounts/accounts.ts'

/** Email of the demo account. */
export const DEMO_EMAIL = 'demo@localhost'

/** Returns the name of an account for commands, which also accept `demo`. */
export const accountName = (name: string): string => (name === 'demo' ? DEMO_EMAIL : name)

export interface DemoAccount {
  email: string
  /** Secret of the key. It is stored nowhere. */
  key: string
}

/** Creates the demo account and its key, durably. Returns null if there is an account. */
export async function createDemoAccount(accounts: Accounts): Promise<DemoAccount | null> {
  if (accounts.listAccounts().length > 0) return null
  try {
    const { id, email } = await accounts.createAccount({ email: DEMO_EMAIL })
    const { secret: key } = await accounts.createKey(id, { label: 'first start' })
    return { email, key }
  } catch (error) {
    // Another node of the fleet created it first.
    if (error instanceof AccountError && error.code === 'EMAIL_TAKEN') return null
    throw error
  }
}
