/**
 * Which accounts an operator looks for, in which order. A list costs one pass over the numbers of all accounts, and one of
 * those whose key begins in a certain way, a look at the keys that begin so.
 */

import type { AccountRecord, KeyRecord } from '../../ledger/book/record.ts'
import { ACCOUNTS_PER_PAGE_MAX } from '../../limits.ts'
import type { Registry } from '../registry.ts'
import { KEY_PREFIX } from '../secret.ts'
import type { AccountOrder, AccountSearch, AccountState, Activity, Found } from '../views.ts'

/** The accounts of one page. The order is at most ten seconds old; what is shown of each account is not. */
export function searchAccounts(registry: Registry, search: AccountSearch): Found<AccountRecord> {
  const { wanted = '', state = 'all', order = 'newest', page = 1, perPage = ACCOUNTS_PER_PAGE_MAX } = search
  const text = wanted.trim()
  const isWanted = matcher(text)
  const candidates = chosen(registry, text, order) ?? ordered(registry, order)
  const matching =
    text === '' && state === 'all'
      ? candidates
      : candidates.filter(account => isIn(state, account) && isWanted(account))
  const pages = Math.max(1, Math.ceil(matching.length / perPage))
  const shown = Math.min(page, pages)
  const accounts = matching.slice((shown - 1) * perPage, shown * perPage)
  return { accounts, matches: matching.length, page: shown, pages }
}

export function activityOf({ keys }: AccountRecord): Activity {
  let queries = 0
  for (const key of keys) for (const count of key.queries) queries += count
  return { queries, lastSeenMs: newestUseMs(keys) || null }
}

function newestUseMs(keys: readonly KeyRecord[]): number {
  let newestMs = 0
  for (const key of keys) if (key.lastUsedMs > newestMs) newestMs = key.lastUsedMs
  return newestMs
}

function matcher(wanted: string): (account: AccountRecord) => boolean {
  if (wanted === '') return () => true
  if (wanted.startsWith('acct_')) return ({ id }) => id.startsWith(wanted)
  if (wanted.startsWith('key_')) return () => true
  // Those that have a key, for the prefix alone.
  if (wanted.startsWith(KEY_PREFIX)) return ({ keys }) => keys.length > 0
  const text = wanted.toLowerCase()
  return ({ email }) => email.includes(text)
}

/** The accounts that a key's id or beginning leads to, in order; undefined when `wanted` is something else. */
function chosen(registry: Registry, wanted: string, order: AccountOrder): AccountRecord[] | undefined {
  if (wanted.startsWith('key_')) {
    const account = registry.key(wanted)?.account
    return account === undefined ? [] : [account]
  }
  if (!wanted.startsWith(KEY_PREFIX)) return undefined
  const keys = registry.keysLike(wanted)?.filter(key => begins(key, wanted))
  const accounts = keys && [...new Set(keys.map(({ account }) => account))]
  return (
    accounts &&
    inOrder(
      order,
      accounts.sort((a, b) => b.slot - a.slot),
      registry,
    )
  )
}

/** Whether a secret of the key that still works, as far as it is known, begins as `wanted` does. */
function begins({ start, rolled }: KeyRecord, wanted: string): boolean {
  const isAlike = (known: string) => known.startsWith(wanted) || wanted.startsWith(known)
  return isAlike(start) || (rolled !== null && isAlike(rolled.start))
}

function isIn(state: AccountState, { standing }: AccountRecord): boolean {
  return state === 'all' || state === (standing?.state ?? 'active')
}

/** How long an order is kept: sorting again for each click would cost the ledger's thread tens of milliseconds. */
const KEPT_MS = 10_000

interface Kept {
  atMs: number
  /** Accounts at that time: with another one, the order is made again. */
  size: number
  accounts: readonly AccountRecord[]
}

const kept = new WeakMap<Registry, Map<AccountOrder, Kept>>()

/** All accounts in an order that is at most KEPT_MS old. */
function ordered(registry: Registry, order: AccountOrder): readonly AccountRecord[] {
  const orders = kept.get(registry) ?? new Map<AccountOrder, Kept>()
  kept.set(registry, orders)
  const known = orders.get(order)
  const size = registry.size
  const atMs = performance.now()
  if (known !== undefined && known.size === size && atMs - known.atMs < KEPT_MS) return known.accounts
  const accounts = inOrder(order, registry.accounts().reverse(), registry)
  // One that is still on its way to the disk is not among them, and must not be missed once it is there.
  orders.set(order, { atMs, size: accounts.length, accounts })
  return accounts
}

/** @param accounts the newest first, as they stay among equals */
function inOrder(order: AccountOrder, accounts: AccountRecord[], registry: Registry): AccountRecord[] {
  switch (order) {
    case 'newest':
      return accounts
    case 'balance':
      return byNumber(accounts, account => registry.availableMicros(account))
    case 'spent':
      return byNumber(accounts, account => account.spentMicros)
    case 'seen':
      return byNumber(accounts, ({ keys }) => newestUseMs(keys))
    case 'email':
      // By code units: the collation of a language costs a hundred times as much.
      return accounts.sort((a, b) => (a.email < b.email ? -1 : 1))
    default:
      return order satisfies never
  }
}

/** Largest first. The numbers are read once: charges go on, and a sort must not see them change. */
function byNumber(accounts: AccountRecord[], numberOf: (account: AccountRecord) => number): AccountRecord[] {
  const numbers = Float64Array.from(accounts, numberOf)
  const places = Uint32Array.from(accounts.keys())
  places.sort((a, b) => numbers[b] - numbers[a] || a - b)
  return Array.from(places, place => accounts[place])
}
