import type { AccountOrder, AccountView, Activity } from '../../billing/accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { ACCOUNTS_PER_PAGE_MAX } from '../../platform/limits.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { addKeySearch, List, queryOf, sorting, WAYS } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Dollars, Fact, Named, Time } from '../layout/parts.tsx'
import { type SearchState, searchIn } from '../operator/operator-account-commands.ts'
import { csvFile, type FileColumns } from '../reports/csv.ts'
import { count, iso, sixDecimals, spent } from '../words.ts'

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
  new: 'New this week',
}
/** States of accounts that may need the operator. */
const ATTENTION = ['ending', 'empty', 'errors', 'new'] as const
const ORDERS: Record<AccountOrder, string> = { newest: '', balance: '', spent: '', seen: '', email: '' }

/** Returns the filters. For accounts that owe money, the default order is by debt. */
function filtersOf(c: PageContext) {
  const usual = c.req.query('state') === 'owing' ? 'balance' : 'newest'
  return { state: { label: 'State', options: STATES }, order: { options: ORDERS, usual }, way: WAYS }
}

const FILE: FileColumns<AccountView & Activity> = {
  account: ({ id }) => id,
  email: ({ email }) => email,
  opened: ({ createdMs }) => iso(createdMs),
  state: ({ standing }) => standing?.state ?? 'active',
  balance_usd: ({ balanceMicros }) => sixDecimals(balanceMicros),
  owed_usd: ({ debtMicros }) => sixDecimals(debtMicros),
  revenue_usd: ({ spentMicros }) => sixDecimals(spentMicros),
  queries: ({ queries }) => queries,
  keys: ({ activeKeys }) => activeKeys,
  last_seen: ({ lastSeenMs }) => iso(lastSeenMs),
}

function searchOf(c: PageContext, { dataPlane }: Dashboard) {
  const { way, state, ...search } = queryOf(c, filtersOf(c))
  const isByDebt = state === 'owing' && search.order === 'balance'
  const within = searchIn(state, () => dataPlane.activity.whoHadErrors(Date.now()))
  return { ...search, ...within, isReversed: (way === 'reversed') !== isByDebt }
}

export function addAccountList(app: PageApp, dashboard: Dashboard): void {
  const { accounts, dataPlane } = dashboard
  addKeySearch(app, '/operator/accounts')

  app.get('/operator/accounts', c => {
    const search = searchOf(c, dashboard)
    const { accounts: rows, totals, ...found } = accounts.search(search)
    const { balanceMicros, debtMicros } = totals()
    const withErrors = () => dataPlane.activity.whoHadErrors(Date.now())
    const filters = filtersOf(c)
    const sort = (order: AccountOrder, isUp = false) => sorting(c, filters, order, isUp)
    const isOwing = search.state === 'owing'
    const isPart = search.wanted !== '' || queryOf(c, filters).state !== 'all'
    return c.html(
      <Page c={c} title="Accounts">
        <dl class="facts">
          <Fact name={isPart ? 'Accounts found' : 'Accounts'}>{count(found.matches)}</Fact>
          <Fact
            name={isOwing ? 'Owed by these' : isPart ? 'Balances of these' : 'Balances'}
            hint={!isOwing && debtMicros > 0 && `${spent(debtMicros)} is owed`}
          >
            <Dollars micros={isOwing ? debtMicros : balanceMicros} round={isOwing ? Math.ceil : Math.floor} />
          </Fact>
          {!isPart &&
            ATTENTION.map(state => (
              <Fact name={STATES[state]}>
                <a href={`/operator/accounts?state=${state}`}>
                  {count(accounts.search({ ...searchIn(state, withErrors), perPage: 1 }).matches)}
                </a>
              </Fact>
            ))}
        </dl>
        <List
          c={c}
          caption="Accounts"
          found={{ rows, ...found }}
          noun={['account']}
          search="email, id, or key"
          isKeySearch
          filters={filters}
          file="/operator/accounts.csv"
          empty="No account matches. Search for at least the first nine characters of a key, or for any part of an email address."
          columns={[
            { head: 'Account', kind: 'name', sort: sort('email', true), cell: AccountLink },
            { head: 'State', cell: AccountState },
            {
              head: 'Balance',
              kind: 'number',
              sort: sort('balance', isOwing),
              cell: row => <Dollars micros={row.balanceMicros - row.debtMicros} />,
            },
            {
              head: 'Revenue',
              kind: 'number',
              sort: sort('spent'),
              cell: row => <Dollars micros={row.spentMicros} round={Math.ceil} />,
            },
            { head: 'Queries', kind: 'number', cell: row => count(row.queries) },
            { head: 'Keys', kind: 'number', cell: row => count(row.activeKeys) },
            { head: 'Last charged', sort: sort('seen'), cell: row => <Time ms={row.lastSeenMs} /> },
          ]}
        />
      </Page>,
    )
  })

  app.get('/operator/accounts.csv', c => {
    const search = searchOf(c, dashboard)
    function* batches() {
      for (let page = 1, pages = 1; page <= pages; page++) {
        const found = accounts.search({ ...search, page, perPage: ACCOUNTS_PER_PAGE_MAX })
        pages = found.pages
        yield found.accounts
      }
    }
    return csvFile(c, 'accounts', FILE, batches())
  })
}

export function AccountLink({ id, email }: Pick<AccountView, 'id' | 'email'>) {
  return <Named name={email} href={`/operator/accounts/${id}`} />
}

export function AccountState({ standing, debtMicros, balanceMicros }: AccountView) {
  const state = standing?.state ?? 'active'
  const funds = debtMicros > 0 ? 'owes money' : balanceMicros < QUERY_PRICE_MICROS ? 'balance used up' : null
  return (
    <>
      <span class={{ active: 'tag good', suspended: 'tag bad', closed: 'tag' }[state]}>{state}</span>{' '}
      {funds !== null && state !== 'closed' && <span class="tag bad">{funds}</span>}
    </>
  )
}
