/** The figures of an account that pages show and refresh. */
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountView } from '../../accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../limits.ts'
import { balanceConcern, capConcern } from '../layout/concerns.ts'
import { cents, count, money, plural } from '../layout/words.ts'
import { freeLeftMicros, spendOf } from './usage.ts'

/** Text by the name that `data-live` gives to it in a page. */
export type Figures = Readonly<Record<FigureName, string>>

export type FigureName =
  | 'balance'
  | 'balanceExact'
  | 'queriesLeft'
  | 'todayQueries'
  | 'todaySpent'
  | 'todaySpentExact'
  | 'monthSpent'
  | 'monthSpentExact'
  | 'freeLeft'
  | 'daysLeft'
  | 'perMinute'
  | 'perHour'
  | 'perDay'
  | 'balanceConcern'
  | 'capConcern'
  | 'stepKey'
  | 'stepAnswer'
  | 'firstAnswer'

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
    balance: cents(account.availableMicros),
    balanceExact: money(account.availableMicros),
    queriesLeft: plural(Math.floor(account.availableMicros / QUERY_PRICE_MICROS), 'query', 'queries'),
    todayQueries: count(spend.todayQueries),
    todaySpent: cents(spend.todayMicros),
    todaySpentExact: money(spend.todayMicros),
    monthSpent: cents(spend.monthMicros),
    monthSpentExact: money(spend.monthMicros),
    freeLeft: free > 0 ? `${cents(free)} of free credit left` : 'free credit used up',
    daysLeft: daysLeft(spend.daysLeft),
    perMinute: count(use.minute),
    perHour: count(use.hour),
    perDay: count(use.day),
    balanceConcern: balanceConcern(account),
    capConcern: capConcern(accounts.listKeys(id)),
    ...firstSteps(account),
  }
}

/** How far a new account has come. A step that is not done is `''`. */
function firstSteps({ activeKeys, spentMicros, availableMicros }: AccountView) {
  const left = plural(Math.floor(availableMicros / QUERY_PRICE_MICROS), 'query', 'queries')
  return {
    stepKey: activeKeys > 0 || spentMicros > 0 ? 'Done' : '',
    stepAnswer: spentMicros > 0 ? 'Done' : '',
    firstAnswer:
      spentMicros > 0
        ? `It works: ${money(spentMicros)} charged, ${left} left.`
        : 'Waiting for a request that is answered and charged.',
  }
}

function daysLeft(days: number | null): string {
  if (days === null) return '—'
  if (days < 1) return 'less than a day'
  return days > 730 ? 'over two years' : plural(Math.floor(days), 'day')
}
