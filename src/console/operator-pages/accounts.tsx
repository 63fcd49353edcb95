import type { Child } from 'hono/jsx'
import {
  ACCOUNT_ORDERS,
  type AccountOrder,
  USED_UP_MICROS,
} from '../../billing/accounts/reports/account-search.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { addKeySearch, List, queryOf, WAYS } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Facts, Named, Time } from '../layout/parts.tsx'
import { type SearchState, searchIn } from '../operator/operator-account-commands.ts'
import { refusalRows } from '../reports/activity.ts'
import { sumOf } from '../reports/usage-series.ts'
import type { Dashboard, PageApp, PageContext } from '../session/dashboard.ts'
import { aligned, count, money } from '../words.ts'
import { fundsMicros } from './account-offers.tsx'

const STATES: Record<SearchState, string> = {
  all: 'All',
  active: 'Active',
  suspended: 'Suspended',
  closed: 'Closed',
  owing: 'Owing money',
  empty: 'Balance used up',
  ending: 'Runs out in a week',
  errors: 'With errors',
  unused: 'Never charged',
  stopped: 'Not charged for a week',
  new: 'New this week',
}
/** Rule of the state `ending`, which its name does not say. */
const ENDING = 'Balances that end within seven days at the pace of the last days, known after a day of use.'
/** States of accounts that may need the operator. */
const ATTENTION = ['empty', 'ending', 'owing', 'stopped', 'errors', 'new'] as const
const ORDERS = Object.fromEntries(ACCOUNT_ORDERS.map(order => [order, ''])) as Record<AccountOrder, string>
const STATE = { label: 'State', options: STATES }

/** Accounts that run out are listed with the most urgent first. */
const filtersOf = (c: PageContext) => ({
  state: STATE,
  order: {
    options: ORDERS,
    usual: queryOf(c, { state: STATE }).state === 'ending' ? 'left' : 'newest',
  },
  way: WAYS,
})

export function addAccountList(app: PageApp, dashboard: Dashboard): void {
  const { accounts, dataPlane } = dashboard
  addKeySearch(app, '/operator/accounts')

  app.get('/operator/accounts', c => {
    const filters = filtersOf(c)
    const { way, state, ...wanted } = queryOf(c, filters)
    const withErrors = () => dataPlane.activity.whoWasRefused(Date.now())
    const search = { ...wanted, ...searchIn(state, withErrors), isReversed: way === 'reversed' }
    const { accounts: rows, totals, ...found } = accounts.search(search)
    const { balanceMicros, debtMicros } = totals()
    const isPart = search.wanted !== '' || state !== 'all'
    const refusedOf = (id: string) =>
      sumOf(refusalRows(accounts, dataPlane, id).map(({ requests }) => requests))
    const owed = debtMicros > 0 && `${money(debtMicros)} is owed`
    return c.html(
      <Page c={c} title="Accounts" lead={state === 'ending' ? ENDING : undefined}>
        <Facts
          facts={[
            [isPart ? 'Accounts found' : 'Accounts', count(found.matches)],
            [isPart ? 'Balances of these' : 'Balances', money(balanceMicros), owed],
          ]}
        />
        <Attention dashboard={dashboard} hint={isPart && 'of all accounts'} />
        <List
          c={c}
          caption="Accounts"
          found={{ rows, ...found }}
          noun={['account']}
          search="email, id, or key"
          isKeySearch
          filters={filters}
          help={
            wanted.wanted && [
              'Search for at least the first nine characters of a key, or for any part of an email address. For a payment or a reference, ',
              <a href={`/operator/log?${new URLSearchParams({ what: 'all', q: wanted.wanted })}`}>
                search the log
              </a>,
              '.',
            ]
          }
          columns={[
            { head: 'Account', kind: 'name', order: 'email', cell: AccountLink },
            {
              head: 'State',
              cell: AccountState,
              below: ({ id }) => state === 'errors' && `${count(refusedOf(id))} refused`,
            },
            { head: 'Balance', kind: 'number', order: 'balance', cell: row => aligned(fundsMicros(row)) },
            { head: 'Used', kind: 'number', order: 'spent', cell: row => aligned(row.spentMicros) },
            { head: 'Days left', kind: 'number', order: 'left', isUp: true, cell: daysText },
            { head: 'Last charged', order: 'seen', cell: row => <Time ms={row.lastSeenMs} /> },
            { head: 'Opened', order: 'newest', cell: row => <Time ms={row.createdMs} /> },
          ]}
        />
      </Page>,
    )
  })
}

/** Numbers of accounts that may need the operator. */
export function Attention({ dashboard, hint }: { dashboard: Dashboard; hint?: Child }) {
  const { accounts, dataPlane } = dashboard
  const withErrors = () => dataPlane.activity.whoWasRefused(Date.now())
  const inState = (state: SearchState) =>
    accounts.search({ ...searchIn(state, withErrors), perPage: 1 }).matches
  return (
    <Facts
      facts={ATTENTION.map(state => [
        STATES[state],
        <a href={`/operator/accounts?state=${state}`}>{count(inState(state))}</a>,
        hint,
      ])}
    />
  )
}

function daysText({ daysLeft: days }: { daysLeft: number | null }): string {
  return days === null ? '—' : days > 730 ? 'over 730' : days < 1 ? 'under 1' : count(Math.floor(days))
}

export function AccountLink({ id, email }: Pick<AccountView, 'id' | 'email'>) {
  return <Named name={email} href={`/operator/accounts/${id}`} />
}

export function AccountState({ standing, debtMicros, balanceMicros }: AccountView) {
  const state = standing?.state ?? 'active'
  const funds = debtMicros > 0 ? 'owes money' : balanceMicros < USED_UP_MICROS ? 'balance used up' : null
  return (
    <>
      <span class={{ active: 'tag good', suspended: 'tag bad', closed: 'tag' }[state]}>{state}</span>{' '}
      {funds !== null && state !== 'closed' && <span class="tag bad">{funds}</span>}
    </>
  )
}
