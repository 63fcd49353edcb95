/** The figures of an account that pages show and refresh. */
import type { Accounts } from '../../accounts/accounts.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { balanceConcern, capConcern } from '../layout/concerns.ts'
import { count, money, plural } from '../layout/words.ts'
import { freeLeftMicros, spendOf } from './usage.ts'

/** Text by the name that `data-live` gives to it in a page. */
export type Figures = Readonly<Record<FigureName, string>>

export type FigureName =
  | 'balance'
  | 'queriesLeft'
  | 'todayQueries'
  | 'todaySpent'
  | 'monthSpent'
  | 'freeLeft'
  | 'daysLeft'
  | 'perMinute'
  | 'perHour'
  | 'perDay'
  | 'balanceConcern'
  | 'capConcern'

/**
 * All figures, read in one turn of the event loop. Only what another server thread charges within that fraction of a
 * millisecond can stand between two of them. @throws Error when there is no such account
 */
export function figuresOf(accounts: Accounts, id: string, nowMs: number): Figures {
  const account = accounts.account(id)
  if (account === undefined) throw new Error(`account ${id} is gone: expected one that is signed in`)
  const spend = spendOf(accounts, account, nowMs)
  const use = accounts.presentUse(id)
  const free = freeLeftMicros(accounts, account)
  return {
    balance: money(account.availableMicros),
    queriesLeft: plural(Math.floor(account.availableMicros / QUERY_PRICE_MICROS), 'query', 'queries'),
    todayQueries: count(spend.todayQueries),
    todaySpent: money(spend.todayMicros),
    monthSpent: money(spend.monthMicros),
    freeLeft: free > 0 ? `${money(free)} of free credit left` : 'free credit used up',
    daysLeft: daysLeft(spend.daysLeft),
    perMinute: count(use.minute),
    perHour: count(use.hour),
    perDay: count(use.day),
    balanceConcern: balanceConcern(account),
    capConcern: capConcern(accounts.listKeys(id)),
  }
}

function daysLeft(days: number | null): string {
  if (days === null) return '—'
  if (days < 1) return 'less than a day'
  return days > 730 ? 'over two years' : plural(Math.floor(days), 'day')
}
