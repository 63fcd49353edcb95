import { compareText } from '../../../platform/compare-text.ts'
import { pauses } from '../../../platform/promises.ts'
import { DAY_MS } from '../../../platform/time.ts'
import type { Book } from '../../ledger/book/book.ts'
import {
  type AccountRecord,
  balanceMicros,
  type Entry,
  queriesSum,
  startsOf,
  type Team,
} from '../../ledger/book/record.ts'
import { QUERY_PRICE_MICROS } from '../../money.ts'
import { KEY_PREFIX } from '../secret.ts'

/** Maximum number of accounts on one page of the operator's list. */
const ACCOUNTS_PER_PAGE_MAX = 50

/** A smaller balance is as good as used up: it pays for fewer than a hundred queries. */
export const USED_UP_MICROS = 100 * QUERY_PRICE_MICROS
/** Days in which the balance of an account in the state `ending` is used up. */
export const ENDING_DAYS = 7
/** Days after which a disputed payment that was not given back counts as lost, and needs nobody. */
export const DISPUTE_DAYS = 90
const WEEK_MS = 7 * DAY_MS

/** Numbers of refused requests, by the slot of an account and by the start of a key; null for all others. */
export type RefusedCounts = ReadonlyMap<number | string | null, number>

/** True for an account whose requests would be refused again. */
type NeedsHelp = (account: string) => boolean
const ANY: NeedsHelp = () => true

/** Facts of an account that its state or its place in an order needs. */
interface Facts {
  nowMs: number
  /** Number of refused requests. */
  refused: number
  needsHelp: NeedsHelp
}

/** Figures of accounts by order: the largest comes first, of equal ones the newest. Texts are ascending. */
const ORDERS = {
  newest: () => 0,
  balance: account => balanceMicros(account) - account.debtMicros,
  debt: ({ debtMicros }) => debtMicros,
  spent: ({ spentMicros }) => spentMicros,
  left: (account, { nowMs }) => -(paceOf(account, nowMs).daysLeft ?? Number.MAX_VALUE),
  seen: account => newestUseMs(account),
  refused: (_, { refused }) => refused,
  email: ({ email }) => email,
} satisfies Record<string, (account: AccountRecord, facts: Facts) => number | string>
export type AccountOrder = keyof typeof ORDERS
export const ACCOUNT_ORDERS = Object.keys(ORDERS) as AccountOrder[]

/** Conditions of states. */
const STATES = {
  all: () => true,
  active: ({ standing }) => standing === null,
  suspended: ({ standing }) => standing?.state === 'suspended',
  closed: ({ standing }) => standing?.state === 'closed',
  owing: ({ debtMicros, standing }) => debtMicros > 0 && standing?.state !== 'closed',
  disputed: (account, { nowMs }) => disputedMicros(account, nowMs) > 0,
  late: account => account.standing?.state === 'closed' && balanceMicros(account) > 0,
  empty: account => account.standing === null && isUsedUp(account),
  ending: (account, { nowMs }) => (paceOf(account, nowMs).daysLeft ?? ENDING_DAYS) < ENDING_DAYS,
  unused: account => account.standing === null && newestUseMs(account) === 0,
  stopped: (account, { nowMs }) =>
    account.standing === null && newestUseMs(account) > 0 && newestUseMs(account) <= nowMs - WEEK_MS,
  new: ({ createdMs, standing }, { nowMs }) => standing === null && createdMs > nowMs - WEEK_MS,
  errors: ({ id }, { refused, needsHelp }) => refused > 0 && needsHelp(id),
} satisfies Record<string, (account: AccountRecord, facts: Facts) => boolean>
export type AccountStateName = keyof typeof STATES
export const ACCOUNT_STATES = Object.keys(STATES) as AccountStateName[]

/** Default orders of states: among accounts in need, the most urgent is first. */
const USUAL: { [state in AccountStateName]?: AccountOrder } = {
  ending: 'left',
  errors: 'refused',
  owing: 'debt',
}

export const usualOrder = (state: AccountStateName): AccountOrder => USUAL[state] ?? 'newest'

export interface AccountSearch {
  nowMs: number
  /** Part of an email, the note or a key's label, an id, or the beginning of a key; `''` for all. */
  wanted?: string
  /** References of entries: their accounts are found, too. */
  references?: readonly string[]
  state?: AccountStateName
  /** True for accounts that have paid or were credited, false for all others; undefined for both. */
  hasPaid?: boolean | undefined
  /** Refused requests, for the state `errors` and the order by them. Default: none. */
  refused?: RefusedCounts
  /** Asked for accounts with refused requests. Default: true. */
  needsHelp?: NeedsHelp
  order?: AccountOrder | undefined
  isReversed?: boolean
  page?: number
  perPage?: number
}

/** Finds and sorts durable accounts. Passes over all accounts and, with a text, keys, between other work. */
export async function searchAccounts(
  book: Book,
  isDurable: (account: AccountRecord) => boolean,
  search: AccountSearch,
) {
  const { nowMs, state = 'all', perPage = ACCOUNTS_PER_PAGE_MAX } = search
  const { refused: refusedCounts = new Map(), needsHelp = ANY, order = usualOrder(state) } = search
  const wanted = search.wanted?.trim() ?? ''
  const isWanted = wantedBy(book, wanted, search)
  const found: { account: AccountRecord; rank: number; figure: number | string }[] = []
  const accounts = [...book.accounts.values()]
  if (!search.isReversed) accounts.reverse()
  const pause = pauses()
  for (const account of accounts) {
    await pause()
    if (!isDurable(account) || !isWanted(account)) continue
    if (search.hasPaid !== undefined && hasPaid(account) !== search.hasPaid) continue
    const facts = { nowMs, refused: refusedOf(account, refusedCounts), needsHelp }
    if (!STATES[state](account, facts)) continue
    found.push({ account, rank: rankOf(account, wanted, order), figure: ORDERS[order](account, facts) })
  }
  // By code units: a collation costs a hundred times as much.
  const compare = (a: number | string, b: number | string) =>
    typeof a === 'string' ? compareText(a, `${b}`) : Number(b) - a
  const sign = search.isReversed ? -1 : 1
  found.sort((a, b) => a.rank - b.rank || sign * compare(a.figure, b.figure))
  const matching = found.map(({ account }) => account)
  const pages = Math.max(1, Math.ceil(matching.length / perPage))
  const shown = Math.min(search.page ?? 1, pages)
  const sum = (micros: (account: AccountRecord) => number) =>
    matching.reduce((total, account) => total + micros(account), 0)
  const totals = () => ({
    balanceMicros: sum(balanceMicros),
    debtMicros: sum(({ debtMicros }) => debtMicros),
  })
  const page = matching.slice((shown - 1) * perPage, shown * perPage)
  return { accounts: page, totals, matches: matching.length, page: shown, pages }
}

/** Returns 0 for the named account; in the usual order, 1 for addresses that begin with the text; else 2. */
function rankOf({ id, email }: AccountRecord, wanted: string, order: AccountOrder): number {
  const text = wanted.toLowerCase()
  if (id === wanted || email === text) return 0
  return order === 'newest' && email.startsWith(text) ? 1 : 2
}

/** Counts that take this long are kept for COUNTS_KEPT_MS. */
const COUNTING_MS_MIN = 100
const COUNTS_KEPT_MS = 60_000

/**
 * Returns a function that counts the accounts in each state, and those that have paid. It counts once for all
 * who ask meanwhile, between other work. Large counts may be a minute old.
 */
export function accountCounter(book: Book, isDurable: (account: AccountRecord) => boolean) {
  let counting: ReturnType<typeof count>
  let untilMs = 0

  async function count(refusedCounts: RefusedCounts, nowMs: number, needsHelp: NeedsHelp) {
    const counts = Object.entries(STATES).map(([state, isIn]) => ({ state, isIn, all: 0, paid: 0 }))
    const pause = pauses()
    for (const account of book.accounts.values()) {
      await pause()
      if (!isDurable(account)) continue
      const paid = Number(hasPaid(account))
      const facts = { nowMs, needsHelp, refused: refusedOf(account, refusedCounts) }
      for (const count of counts.filter(({ isIn }) => isIn(account, facts))) {
        count.all++
        count.paid += paid
      }
    }
    return new Map(counts.map(({ state, all, paid }) => [state, { all, paid }]))
  }

  return (refused: RefusedCounts, nowMs: number, needsHelp: NeedsHelp = ANY) => {
    const startMs = performance.now()
    if (startMs < untilMs) return counting
    untilMs = Number.POSITIVE_INFINITY
    counting = count(refused, nowMs, needsHelp).finally(() => {
      const endMs = performance.now()
      untilMs = endMs - startMs < COUNTING_MS_MIN ? 0 : endMs + COUNTS_KEPT_MS
    })
    return counting
  }
}

export function activityOf(account: AccountRecord, nowMs: number) {
  const queries = account.keys.reduce((sum, key) => sum + queriesSum(key), 0)
  return { queries, lastSeenMs: newestUseMs(account) || null, daysLeft: paceOf(account, nowMs).daysLeft }
}

const hasPaid = ({ entries }: AccountRecord) =>
  entries.some(({ kind }) => kind === 'payment' || kind === 'test' || kind === 'operator')

/** Returns what was disputed in the last DISPUTE_DAYS and not given back. */
export function disputedMicros({ entries }: AccountRecord, nowMs: number): number {
  const isGivenBack = ({ reference }: Entry) =>
    entries.some(each => each.reference === `${reference}:reinstated`)
  const isOpen = (entry: Entry) =>
    entry.kind === 'dispute' && entry.timeMs > nowMs - DISPUTE_DAYS * DAY_MS && !isGivenBack(entry)
  return entries.filter(isOpen).reduce((sum, entry) => sum + entry.debtMicros - entry.balanceMicros, 0)
}

const isUsedUp = (account: AccountRecord) => balanceMicros(account) < USED_UP_MICROS

/**
 * Returns the spend per day: of the last 24 hours, or the average of seven days if that is larger. The
 * average would hide a program that has just started. After less than a day of use, `perDayMicros` is 0: not
 * known, until more than half of all credits is spent. `daysLeft` is null without a spend, with a used-up
 * balance, and while keys are refused.
 */
export function paceOf(account: AccountRecord, nowMs: number) {
  const { keys, createdMs, standing, spentMicros } = account
  const weekMs = (Math.floor(nowMs / DAY_MS) - 6) * DAY_MS
  let [firstMs, weekMicros, dayMicros] = [nowMs, 0, 0]
  for (const { days, hours, lastUsedMs } of keys) {
    if (lastUsedMs < weekMs) {
      if (lastUsedMs > 0) firstMs = weekMs
      continue
    }
    days.eachSpend((startMs, spentMicros) => {
      firstMs = Math.min(firstMs, startMs)
      if (startMs >= weekMs) weekMicros += spentMicros
    })
    dayMicros += hours.spentSince(nowMs - DAY_MS)
  }
  /** Days since the first use, at most seven. */
  const usedDays = (nowMs - Math.max(weekMs, createdMs, firstMs)) / DAY_MS
  const averageMicros = weekMicros / Math.max(1, usedDays)
  const isOfDay = dayMicros >= averageMicros
  const isKnown = usedDays >= 1 || spentMicros > balanceMicros(account)
  const perDayMicros = isKnown ? Math.max(dayMicros, averageMicros) : 0
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
  for (const start of keys.flatMap(startsOf)) sum += refused.get(start) ?? 0
  return sum
}

function newestUseMs({ keys }: AccountRecord): number {
  return keys.reduce((newestMs, { lastUsedMs }) => Math.max(newestMs, lastUsedMs), 0)
}

function wantedBy(book: Book, wanted: string, search: AccountSearch): (account: AccountRecord) => boolean {
  const { nowMs, references = [] } = search
  if (wanted === '') return () => true
  if (wanted.startsWith('acct_')) return ({ id }) => id.startsWith(wanted)
  if (wanted.startsWith('key_')) {
    const owner = book.keys.get(wanted)?.account
    return account => account === owner
  }
  if (wanted.startsWith(KEY_PREFIX)) return account => hasSecretLike(account, wanted)
  const text = wanted.toLowerCase()
  const isIn = (written: string) => written.toLowerCase().includes(text)
  const hasPerson = ({ members, invitations }: Team) =>
    [...members.keys()].some(slot => isIn(book.account(slot).email)) ||
    [...invitations.values()].some(({ email, endMs }) => endMs > nowMs && isIn(email))
  const holders = references.map(reference => book.references.get(reference)?.account.slot)
  return ({ slot, email, note, keys, team }) =>
    holders.includes(slot) ||
    email.includes(text) ||
    isIn(note) ||
    keys.some(({ label }) => isIn(label)) ||
    (team !== null && hasPerson(team))
}

/** Compares the stored starts of secrets: `wanted` may be a whole secret, or its beginning. */
export function hasSecretLike({ keys }: AccountRecord, wanted: string): boolean {
  const isAlike = (known: string) => known.startsWith(wanted) || wanted.startsWith(known)
  return keys.some(({ start, previousStarts }) => isAlike(start) || previousStarts.some(isAlike))
}
