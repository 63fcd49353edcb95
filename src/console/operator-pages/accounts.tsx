import { type AccountOrder, type AccountView, USED_UP_MICROS } from '../../billing/accounts/views.ts'
import type { Dashboard, PageApp } from '../dashboard.ts'
import { addKeySearch, List, queryOf, sorting, WAYS } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Dollars, Fact, Named, Time } from '../layout/parts.tsx'
import { type SearchState, searchIn } from '../operator/operator-account-commands.ts'
import { count, spent } from '../words.ts'

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
/** States of accounts that may need the operator. */
const ATTENTION = ['empty', 'ending', 'owing', 'stopped', 'errors', 'new'] as const
const ORDERS: Record<AccountOrder, string> = { newest: '', balance: '', spent: '', seen: '', email: '' }

const FILTERS = { state: { label: 'State', options: STATES }, order: { options: ORDERS }, way: WAYS }

export function addAccountList(app: PageApp, dashboard: Dashboard): void {
  const { accounts, dataPlane } = dashboard
  addKeySearch(app, '/operator/accounts')

  app.get('/operator/accounts', c => {
    const { way, state, ...wanted } = queryOf(c, FILTERS)
    const withErrors = () => dataPlane.activity.whoWasRefused(Date.now())
    const search = { ...wanted, ...searchIn(state, withErrors), isReversed: way === 'reversed' }
    const { accounts: rows, totals, ...found } = accounts.search(search)
    const { balanceMicros, debtMicros } = totals()
    const sort = (order: AccountOrder, isUp = false) => sorting(c, FILTERS, order, isUp)
    const isPart = search.wanted !== '' || state !== 'all'
    return c.html(
      <Page c={c} title="Accounts">
        <dl class="facts">
          <Fact name={isPart ? 'Accounts found' : 'Accounts'}>{count(found.matches)}</Fact>
          <Fact
            name={isPart ? 'Balances of these' : 'Balances'}
            hint={debtMicros > 0 && `${spent(debtMicros)} is owed`}
          >
            <Dollars micros={balanceMicros} />
          </Fact>
        </dl>
        <Attention dashboard={dashboard} />
        <List
          c={c}
          caption="Accounts"
          found={{ rows, ...found }}
          noun={['account']}
          search="email, id, or key"
          isKeySearch
          filters={FILTERS}
          empty={`No account matches.${wanted.wanted && ' Search for at least the first nine characters of a key, or for any part of an email address.'}`}
          columns={[
            { head: 'Account', kind: 'name', sort: sort('email', true), cell: AccountLink },
            { head: 'State', cell: AccountState },
            {
              head: 'Balance',
              kind: 'number',
              sort: sort('balance'),
              cell: row => <Dollars micros={row.balanceMicros - row.debtMicros} />,
            },
            {
              head: 'Revenue',
              kind: 'number',
              sort: sort('spent'),
              cell: row => <Dollars micros={row.spentMicros} round={Math.ceil} />,
            },
            { head: 'Queries', kind: 'number', cell: row => count(row.queries) },
            { head: 'Days left', kind: 'number', cell: ({ daysLeft }) => daysText(daysLeft) },
            { head: 'Last charged', sort: sort('seen'), cell: row => <Time ms={row.lastSeenMs} /> },
          ]}
        />
      </Page>,
    )
  })
}

/** Numbers of accounts that may need the operator. */
export function Attention({ dashboard: { accounts, dataPlane } }: { dashboard: Dashboard }) {
  const withErrors = () => dataPlane.activity.whoWasRefused(Date.now())
  return (
    <dl class="facts">
      {ATTENTION.map(state => (
        <Fact name={STATES[state]}>
          <a href={`/operator/accounts?state=${state}`}>
            {count(accounts.search({ ...searchIn(state, withErrors), perPage: 1 }).matches)}
          </a>
        </Fact>
      ))}
    </dl>
  )
}

function daysText(days: number | null): string {
  return days === null ? '' : days > 730 ? 'over 730' : days < 1 ? 'under 1' : count(Math.floor(days))
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
