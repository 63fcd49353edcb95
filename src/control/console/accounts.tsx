/** The accounts of the service: searched, sorted, some on a page. */
import {
  ACCOUNT_ORDERS,
  ACCOUNT_STATES,
  type AccountOrder,
  type AccountPage,
  type AccountSearch,
  type AccountState as State,
} from '../../accounts/views.ts'
import { EMAIL_LENGTH_MAX } from '../../limits.ts'
import { Pages, pageOf } from '../layout/pager.tsx'
import { Choice, Table, Time } from '../layout/parts.tsx'
import { count, fixedMoney, plural } from '../layout/words.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'
import { AccountState, OperatorPage } from './frame.tsx'

const STATES: Record<State, string> = {
  all: 'All',
  active: 'Active',
  suspended: 'Suspended',
  closed: 'Closed',
}
const ORDERS: Record<AccountOrder, string> = {
  newest: 'Newest first',
  balance: 'Largest balance',
  spent: 'Most revenue',
  seen: 'Last seen first',
  email: 'By email',
}

export function addAccountList(app: PageApp, { accounts }: Dashboard): void {
  app.get('/operator/accounts', c => {
    const search = searchOf(c)
    return c.html(<AccountList c={c} search={search} found={accounts.search(search)} />)
  })
}

/** What an address asks for. Whatever it does not understand is as if it were not there. */
function searchOf(c: PageContext): Required<Omit<AccountSearch, 'perPage'>> {
  return {
    wanted: (c.req.query('q') ?? '').trim().slice(0, EMAIL_LENGTH_MAX),
    state: ACCOUNT_STATES.find(state => state === c.req.query('state')) ?? 'all',
    order: ACCOUNT_ORDERS.find(order => order === c.req.query('order')) ?? 'newest',
    page: pageOf(c),
  }
}

interface AccountListProps {
  c: PageContext
  search: ReturnType<typeof searchOf>
  found: AccountPage
}

function AccountList({ c, search, found }: AccountListProps) {
  const { wanted, state, order } = search
  const pathOf = (page: number) =>
    `/operator/accounts?${new URLSearchParams({ q: wanted, state, order, page: String(page) })}`
  return (
    <OperatorPage c={c} title="Accounts">
      <search>
        <form method="get" action="/operator/accounts" class="row">
          <label>
            Search
            <input
              type="search"
              name="q"
              value={wanted}
              placeholder="email, id, or beginning of a key"
              maxlength={EMAIL_LENGTH_MAX}
            />
          </label>
          <Choice name="state" label="State" options={STATES} value={state} />
          <Choice name="order" label="Order" options={ORDERS} value={order} />
          <button type="submit">Show</button>
        </form>
      </search>
      {found.accounts.length === 0 ? (
        <p class="empty">
          No account matches. A key is found by at least its first nine characters, an account by any part of
          its email address.
        </p>
      ) : (
        <Table
          caption="Accounts"
          heads={['Account', 'State', '>Balance', '>Revenue', '>Queries', '>Keys', 'Last seen']}
        >
          {found.accounts.map(account => (
            <tr>
              <th scope="row">
                <a href={`/operator/accounts/${account.id}`} class="label" title={account.email}>
                  {account.email}
                </a>
                <code class="under">{account.id}</code>
              </th>
              <td>
                <AccountState standing={account.standing} />
              </td>
              <td class="number">{fixedMoney(account.balanceMicros)}</td>
              <td class="number">{fixedMoney(account.spentMicros)}</td>
              <td class="number">{count(account.queries)}</td>
              <td class="number">{count(account.activeKeys)}</td>
              <td>
                <Time ms={account.lastSeenMs} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Pages {...found} matches={plural(found.matches, 'account')} pathOf={pathOf} />
    </OperatorPage>
  )
}
