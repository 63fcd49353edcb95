/** On an empty ledger: one account with the free queries and one key, so that a newcomer can try the service at once. */

import { AccountError } from './accounts/account-error.ts'
import type { Accounts } from './accounts/accounts.ts'
import type { AccountView } from './accounts/views.ts'

/** The operator's commands know it by `demo` as well. */
export const DEMO_EMAIL = 'demo@localhost'

/** Labels of the key: until its secret was printed, and from then on. */
const LABEL_UNSHOWN = 'first start, not yet shown'
const LABEL = 'first start'

export interface FirstAccount {
  email: string
  /** The secret of its key; it exists nowhere else. */
  key: string
  /** Call once the secret was printed. Until then, the next start replaces the key by one that it can show. */
  shown(): Promise<void>
}

/**
 * Creates the account when there is none at all. When an earlier start died, or could not print, before anybody saw the
 * key, its key is revoked and a new one is made. Else returns null. Durable when it resolves.
 * @param inFleet several nodes may start at once: the first one makes the account, the others leave it and its key alone
 */
export async function createFirstAccount(accounts: Accounts, inFleet: boolean): Promise<FirstAccount | null> {
  const demo = accounts.account(DEMO_EMAIL)
  if (inFleet && demo !== undefined) return null
  if (demo === undefined && accounts.listAccounts().length > 0) return null
  // A suspended or closed account gets no key.
  if (demo !== undefined && demo.standing !== null) return null
  const opened = demo ?? (await openedUnlessTaken(accounts))
  if (opened === null) return null
  const { id, email } = opened
  const keys = accounts.listKeys(id)
  const unshown = keys.filter(({ label, revokedMs }) => label === LABEL_UNSHOWN && revokedMs === null)
  // A key that was used is known to somebody, whatever happened to its label.
  const unseen = unshown.filter(({ lastUsedMs }) => lastUsedMs === null)
  if (keys.length > 0 && unseen.length === 0) return null
  const made = await accounts.createKey(id, { label: LABEL_UNSHOWN })
  for (const key of unseen) await accounts.revokeKey(key.id)
  return {
    email,
    key: made.key,
    shown: async () => {
      await accounts.renameKey(made.id, LABEL)
    },
  }
}

/** Null when another node was faster. */
async function openedUnlessTaken(accounts: Accounts): Promise<AccountView | null> {
  try {
    return await accounts.createAccount({ email: DEMO_EMAIL })
  } catch (error) {
    if (error instanceof AccountError && error.code === 'EMAIL_TAKEN') return null
    throw error
  }
}
