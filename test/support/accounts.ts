import type { Test } from 'tap'
import {
  type Accounts,
  type AccountsOptions,
  openAccounts as openAll,
} from '../../src/billing/accounts/accounts.ts'
import type { SharedKey } from '../../src/billing/accounts/charging/shared-key.ts'
import { CHARGED } from '../../src/service/endpoints/table.ts'

type Options = Omit<AccountsOptions, 'usageClasses'>

export function openAccounts(options: Options): Promise<Accounts> {
  return openAll({ usageClasses: CHARGED, ...options })
}

export async function accountsUntilEnd(t: Test, options: Partial<Options> = {}): Promise<Accounts> {
  const accounts = await openAccounts({ dir: t.testdir(), ...options })
  t.teardown(() => accounts.close())
  return accounts
}

export function authenticate(
  { charging }: Pick<Accounts, 'charging'>,
  secret: string,
): SharedKey | undefined {
  return charging.findKey(Buffer.from(secret), 0, secret.length)
}

/** @throws Error when no key has the secret */
export function keyOf(accounts: Pick<Accounts, 'charging'>, secret: string): SharedKey {
  const key = authenticate(accounts, secret)
  if (key === undefined) throw new Error('the key is not found')
  return key
}

export function charge(accounts: Accounts, secret: string, usage = 0, queries = 1): void {
  if (accounts.charging.charge(keyOf(accounts, secret), usage, queries) !== null)
    throw new Error('nothing was charged')
}
