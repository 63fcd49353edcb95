/** Creates the first account of an empty ledger, with the free queries and one key, so that a newcomer can try the service. */

import { AccountError } from './accounts/account-error.ts'
import type { Accounts } from './accounts/accounts.ts'
import { randomText } from './accounts/secret.ts'

/** Email of the demo account. */
export const DEMO_EMAIL = 'demo@localhost'

/** Returns the name of an account for commands, which also accept `demo`. */
export const accountName = (name: string): string => (name === 'demo' ? DEMO_EMAIL : name)

/** Beginning of the ids of keys that starts create. The id of any other key has one underscore. */
const START_ID = 'key_start_'
/** Label of such a key until its secret was printed. */
const LABEL_UNSHOWN = 'first start, not yet shown'
/** Label of the key afterwards. */
const LABEL = 'first start'

export interface DemoAccount {
  email: string
  /** Secret of the key. It is stored nowhere. */
  key: string
  /** Records that the secret was printed. Without this call, the next start replaces the key. */
  shown(): Promise<void>
}

/**
 * Creates the demo account if there is no account. Replaces its key if no start has shown it. Otherwise returns null. Resolves when
 * everything is durable.
 * @param inFleet true if several nodes may start at once: the first one creates the account, the others leave it alone
 */
export async function createDemoAccount(
  accounts: Accounts,
  { inFleet }: { inFleet: boolean },
): Promise<DemoAccount | null> {
  const demo = accounts.account(DEMO_EMAIL)
  if (inFleet && demo !== undefined) return null
  if (demo === undefined && accounts.listAccounts().length > 0) return null
  if (demo !== undefined && demo.standing !== null) return null
  const opened =
    demo ??
    (await accounts.createAccount({ email: DEMO_EMAIL }).catch(error => {
      // Another node created it first.
      if (error instanceof AccountError && error.code === 'EMAIL_TAKEN') return null
      throw error
    }))
  if (opened === null) return null
  const { id, email } = opened
  const keys = accounts.listKeys(id)
  // Somebody knows the secret of a used key, whatever its label.
  const unseen = keys.filter(
    key =>
      key.id.startsWith(START_ID) &&
      key.label === LABEL_UNSHOWN &&
      key.revokedMs === null &&
      key.lastUsedMs === null,
  )
  if (keys.length > 0 && unseen.length === 0) return null
  const made = await accounts.createKey(id, { label: LABEL_UNSHOWN, id: START_ID + randomText(12) })
  for (const key of unseen) await accounts.revokeKey(key.id)
  return {
    email,
    key: made.secret,
    shown: async () => {
      await accounts.renameKey(made.id, LABEL)
    },
  }
}
