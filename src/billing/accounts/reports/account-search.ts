import { compareText } from '../../../platform/compare-text.ts'
import { DAY_MS } from '../../../platform/time.ts'
import type { Book } from '../../ledger/book/book.ts'
import { type AccountRecord, balanceMicros, queriesSum } from '../../ledger/book/record.ts'
import { QUERY_PRICE_MICROS } from '../../money.ts'
import { KEY_PREFIX } from '../secret.ts'

/** Maximum number of accounts on one page of the operator's list. */
const ACCOUNTS_PER_PAGE_MAX = 50

/** A smaller balance is as good as used up: it pays for fewer than a hundred queries. */
export const USED_UP_MICROS = 100 * QUERY_PRICE_MICROS
/** Days in which the balance of an account in the state `ending` is used up. */
const ENDING_DAYS = 7
const WEEK_MS = 7 * DAY_MS

/** Numbers of refused requests, by the slot of an account and by the start of a key; null for all others. */
export type RefusedCounts = ReadonlyMap<number | string | null, number>

type Sort = (accounts: AccountRecord[], nowMs: number, refused: RefusedCounts) => AccountRecord[]

/** Orders of accounts that are given newest first. */
const ORDERS = {
  newest: accounts => accounts,
  balance: largestFirst(account => balanceMicros(account) - account.debtMicros),
  spent: largestFirst(account => account.spentMicros),
  left: largestFirst((account, nowMs) => -(paceOf(account, nowMs).daysLeft ?? Number.MAX_VALUE)),
  seen: largestFirst(newestUseMs),
  refused: largestFirst((account, _, refused) => refusedOf(account, refused)),
  // By code units: a collation costs a hundred times as much.
  email: accounts => accounts.sort((a, b) => compareText(a.email, b.email)),
} satisfies Record<string, Sort>
export type AccountOrder = keyof typeof ORDERS
export const ACCOUNT_ORDERS = Object.keys(ORDERS) as AccountOrder[]

/** Conditions of states at a time. */
const STATES = {
  all: () => true,
  active: ({ standing }) => standing === null,
  suspended: ({ standing }) => standing?.state === 'suspended',
  closed: ({ standing }) => standing?.state === 'closed',
  owing: ({ debtMicros, standing }) => debtMicros > 0 && standing?.state !== 'closed',
  empty: account => account.standing === null && isUsedUp(account),
  ending: (account, nowMs) => (paceOf(account, nowMs).daysLeft ?? ENDING_DAYS) < ENDING_DAYS,
  unused: account => newestUseMs(account) === 0,
  stopped: (account, nowMs) =>
    account.standing === null && newestUseMs(account) > 0 && newestUseMs(account) <= nowMs - WEEK_MS,
  new: ({ createdMs }, nowMs) => createdMs > nowMs - WEEK_MS,
} satisfies Record<string, (account: AccountRecord, nowMs: number) => boolean>
type AccountStateName = keyof typeof STATES
export const ACCOUNT_STATES = Object.keys(STATES) as AccountStateName[]

export interface AccountSearch {
  nowMs: number
  /** Part of the email address, of the note or of a key's label, beginning of an account's id, a key's id, a key or its beginning; `''` for all. */
  wanted?: string
  state?: AccountStateName
  /** True for accounts that have paid or were credited, false for all others; undefined for both. */
  hasPaid?: boolean | undefined
  /** Finds only accounts with refused requests; undefined for all. */
  refused?: RefusedCounts | undefined
  order?: AccountOrder
  isReversed?: boolean
  page?: number
  perPage?: number
}

/** Finds and sorts durable accounts for an operator. Costs a pass over all accounts, with a text over all keys. */
export function searchAccounts(
  book: Book,
  isDurable: (account: AccountRecord) => boolean,
  search: AccountSearch,
) {
  const { nowMs, state = 'all', order = 'newest', page = 1, perPage = ACCOUNTS_PER_PAGE_MAX } = search
  const wanted = search.wanted?.trim() ?? ''
  const isIn = (account: AccountRecord) =>
    isDurable(account) &&
    (search.refused === undefined || refusedOf(account, search.refused) > 0) &&
    (search.hasPaid === undefined || hasPaid(account) === search.hasPaid) &&
    STATES[state](account, nowMs)
  const matching = candidates(book, wanted).filter(isIn)
  const pages = Math.max(1, Math.ceil(matching.length / perPage))
  const shown = Math.min(page, pages)
  const sorted = ORDERS[order](matching, nowMs, search.refused ?? new Map())
  if (search.isReversed) sorted.reverse()
  const accounts = namedFirst(sorted, wanted, order).slice((shown - 1) * perPage, shown * perPage)
  const sum = (micros: (account: AccountRecord) => number) =>
    matching.reduce((total, account) => total + micros(account), 0)
  const totals = () => ({
    balanceMicros: sum(balanceMicros),
    debtMicros: sum(({ debtMicros }) => debtMicros),
  })
  return { accounts, totals, matches: matching.length, page: shown, pages }
}

/** Puts the account that is named exactly first. In the usual order, addresses that begin with the text follow. */
function namedFirst(accounts: AccountRecord[], wanted: string, order: AccountOrder): AccountRecord[] {
  if (wanted === '') return accounts
  const text = wanted.toLowerCase()
  const ranks: AccountRecord[][] = [[], [], []]
  for (const account of accounts) {
    const { id, email } = account
    const isNamed = id === wanted || email === text
    ranks[isNamed ? 0 : order === 'newest' && email.startsWith(text) ? 1 : 2].push(account)
  }
  return ranks.flat()
}

/** Accounts and keys in one turn of the event loop: about a millisecond. */
const RECORDS_PER_TURN = 20

/** Counts the durable accounts in each state, and those of them that have paid. Other work runs between its turns. */
export async function countAccounts(
  book: Book,
  isDurable: (account: AccountRecord) => boolean,
  refused: RefusedCounts,
  nowMs: number,
) {
  const conditions = { ...STATES, errors: (account: AccountRecord) => refusedOf(account, refused) > 0 }
  const counts = Object.entries(conditions).map(([state, isIn]) => ({ state, isIn, all: 0, paid: 0 }))
  let records = 0
  for (const account of book.accounts.values()) {
    const paid = Number(hasPaid(account))
    if (isDurable(account))
      for (const count of counts)
        if (count.isIn(account, nowMs)) {
          count.all++
          count.paid += paid
        }
    records += 1 + account.keys.length
    if (records < RECORDS_PER_TURN) continue
    records = 0
    await new Promise(resolve => setImmediate(resolve))
  }
  return new Map(counts.map(({ state, all, paid }) => [state, { all, paid }]))
}

export function activityOf(account: AccountRecord, nowMs: number) {
  const queries = account.keys.reduce((sum, key) => sum + queriesSum(key), 0)
  return { queries, lastSeenMs: newestUseMs(account) || null, daysLeft: paceOf(account, nowMs).daysLeft }
}

const hasPaid = ({ entries }: AccountRecord) =>
  entries.some(({ kind }) => kind === 'payment' || kind === 'test' || kind === 'operator')

const isUsedUp = (account: AccountRecord) => balanceMicros(account) < USED_UP_MICROS

/**
 * Returns the larger of two rates: the last 24 hours, and the daily average of seven days. So days without a program do not hide that it
 * has just started. After less than a day of use, the rate is 0: not known. Then, or if nothing can be spent, `daysLeft` is null.
 */
export function paceOf(account: AccountRecord, nowMs: number) {
  const { keys, createdMs, standing } = account
  const weekMs = (Math.floor(nowMs / DAY_MS) - 6) * DAY_MS
  let [firstMs, weekMicros, dayMicros] = [nowMs, 0, 0]
  for (const { days, hours } of keys) {
    days.each((startMs, _, spentMicros) => {
      firstMs = Math.min(firstMs, startMs)
      if (startMs >= weekMs) weekMicros += spentMicros
    })
    dayMicros += hours.spentSince(nowMs - DAY_MS)
  }
  /** Days since the first use, at most seven. */
  const usedDays = (nowMs - Math.max(weekMs, createdMs, firstMs)) / DAY_MS
  const averageMicros = weekMicros / Math.max(1, usedDays)
  const isOfDay = dayMicros > averageMicros
  const perDayMicros = usedDays < 1 ? 0 : isOfDay ? dayMicros : averageMicros
  const isEnding = perDayMicros > 0 && standing === null && !isUsedUp(account)
  return {
    perDayMicros,
    usedDays,
    isOfDay,
    daysLeft: isEnding ? balanceMicros(account) / perDayMicros : null,
  }
}

function refusedOf({ slot, keys }: AccountRecord, refused: RefusedCounts): number {
  let sum = refused.get(slot) ?? 0
  for (const { start, rolled } of keys)
    sum += (refused.get(start) ?? 0) + ((rolled && refused.get(rolled.start)) ?? 0)
  return sum
}

function largestFirst(
  figureOf: (account: AccountRecord, nowMs: number, refused: RefusedCounts) => number,
): Sort {
  return (accounts, nowMs, refused) => {
    const numbers = new Map(accounts.map(account => [account, figureOf(account, nowMs, refused)]))
    return accounts.sort((a, b) => (numbers.get(b) ?? 0) - (numbers.get(a) ?? 0))
  }
}

function newestUseMs({ keys }: AccountRecord): number {
  return keys.reduce((newestMs, { lastUsedMs }) => Math.max(newestMs, lastUsedMs), 0)
}

function candidates(book: Book, wanted: string): AccountRecord[] {
  const newestFirst = [...book.accounts.values()].reverse()
  if (wanted === '') return newestFirst
  if (wanted.startsWith('acct_')) return newestFirst.filter(({ id }) => id.startsWith(wanted))
  if (wanted.startsWith('key_')) {
    const owner = book.keys.get(wanted)?.account
    return owner === undefined ? [] : [owner]
  }
  if (wanted.startsWith(KEY_PREFIX)) {
    // By the stored start: `wanted` may be a whole secret, or its beginning.
    const isAlike = (known: string) => known.startsWith(wanted) || wanted.startsWith(known)
    const isOwner = ({ keys }: AccountRecord) =>
      keys.some(({ start, rolled }) => isAlike(start) || (rolled !== null && isAlike(rolled.start)))
    return newestFirst.filter(isOwner)
  }
  const text = wanted.toLowerCase()
  const isIn = (written: string) => written.toLowerCase().includes(text)
  return newestFirst.filter(
    ({ email, note, keys }) => email.includes(text) || isIn(note) || keys.some(({ label }) => isIn(label)),
  )
}
