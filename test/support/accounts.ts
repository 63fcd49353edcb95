import type { Test } from 'tap'
import {
  type Accounts,
  type AccountsOptions,
  openAccounts as openAll,
} from '../../src/billing/accounts/accounts.ts'
import type { SharedKey } from '../../src/billing/accounts/charging/shared-key.ts'
import { QUERY_PRICE_MICROS } from '../../src/billing/money.ts'
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

/** Queries of a new account. */
const FREE_QUERIES = 1000
let opened = 0

/** Opens an account that can pay for `queries`, with a key. */
export async function openPaidAccount(accounts: Accounts, queries: number = FREE_QUERIES) {
  const { id } = await accounts.createAccount({ email: `test${opened++}@example.com` })
  const micros = (queries - FREE_QUERIES) * QUERY_PRICE_MICROS
  if (micros > 0) await accounts.credit({ account: id, micros, kind: 'test', reference: id })
  const { id: keyId, secret: key } = await accounts.createKey(id)
  return { id, keyId, key }
}

export function authenticate(
  { charging }: Pick<Accounts, 'charging'>,
  secret: string,
): SharedKey | undefined {
  const found = charging.findKey(Buffer.from(secret), 0, secret.length)
  return typeof found === 'string' ? undefined : found
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
