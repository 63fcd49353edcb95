import type { AccountOrder, AccountStateName } from '../../billing/accounts/reports/account-search.ts'
import { ACCOUNT_ORDERS, USED_UP_MICROS } from '../../billing/accounts/reports/account-search.ts'
import { KEY_PREFIX, SHOWN_CHARACTERS } from '../../billing/accounts/secret.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { COUNTED_ERRORS } from '../../service/errors.ts'
import { addKeySearch, List, readQuery, WAYS } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Facts, Named } from '../layout/parts.tsx'
import { refusalRows } from '../reports/activity.ts'
import { reasonsOf, summaryOf } from '../reports/reasons.ts'
import { isFoundKey } from '../sections/key-list.tsx'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import { agoText, aligned, count, fullKeyName, money, plural, utcDay } from '../words.ts'
import { fundsMicros } from './account-offers.tsx'

const STATES: Record<AccountStateName, string> = {
  all: 'All',
  active: 'Active',
  suspended: 'Suspended',
  closed: 'Closed',
  owing: 'Owing money, open',
  empty: 'Balance used up',
  ending: 'Runs out in a week',
  errors: 'With errors',
  unused: 'Never used',
  stopped: 'Not charged for a week',
  new: 'New this week',
}
/** Rule of the state `ending`, which its name does not say. */
const ENDING = 'Balances that end within seven days at the pace of the last days, known after a day of use.'
/** States of accounts that an operator sees at a glance. */
const ATTENTION = ['active', 'empty', 'ending', 'owing', 'unused', 'stopped', 'errors', 'new'] as const
const ORDERS = Object.fromEntries(ACCOUNT_ORDERS.map(order => [order, ''])) as Record<AccountOrder, string>
const PAID = { label: 'Paid', options: { all: 'All', yes: 'Has paid', no: 'Free queries only' } }
/** Orders by the state of the list: the most urgent account is first. */
const USUAL_ORDERS: Partial<Record<AccountStateName, string>> = { ending: 'left', errors: 'refused' }

const countsOf = ({ accounts, dataPlane }: Dashboard, nowMs = Date.now()) =>
  accounts.count(dataPlane.activity.refusedCounts(nowMs), nowMs)

function filtersOf(counts: Awaited<ReturnType<typeof countsOf>>) {
  const texts = Object.entries(STATES).map(([name, text]) => [
    name,
    `${text} (${count(counts.get(name)?.all ?? 0)})`,
  ])
  const state = { label: 'State', options: Object.fromEntries(texts) as typeof STATES }
  const usual = USUAL_ORDERS[readQuery({ state }).state] ?? 'newest'
  return { state, paid: PAID, order: { options: ORDERS, usual }, way: WAYS }
}

export function addAccountList(app: PageApp, dashboard: Dashboard): void {
  const { accounts, dataPlane } = dashboard
  addKeySearch(app, '/operator/accounts')

  app.get('/operator/accounts', async c => {
    const counts = await countsOf(dashboard)
    const filters = filtersOf(counts)
    const { way, state, paid, order, page, wanted } = readQuery(filters)
    const nowMs = Date.now()
    const hasPaid = paid === 'all' ? undefined : paid === 'yes'
    const search = { nowMs, wanted, hasPaid, state, refused: dataPlane.activity.refusedCounts(nowMs) }
    const shown = { order, page, isReversed: way === 'reversed' }
    const { accounts: rows, totals, ...found } = await accounts.search({ ...search, ...shown })
    const refused = new Map(
      rows.map(row => {
        const reasons = reasonsOf(refusalRows(dashboard, row.id), row, accounts.listKeys(row.id), '')
        return [row.id, summaryOf(reasons)]
      }),
    )
    const { balanceMicros, debtMicros } = totals()
    const owed = debtMicros > 0 && `, and ${money(debtMicros)} is owed`
    const errors = state === 'errors' ? 0 : (counts.get('errors')?.all ?? 0)
    const withErrors = errors > 0 && <a href="/operator/accounts?state=errors">{count(errors)} with errors</a>
    const lastText = ({ id }: AccountView) => {
      const { most, lastMs = 0, isOver } = refused.get(id) ?? {}
      if (most === undefined) return ''
      const { status } = most.refusal
      const meaning = COUNTED_ERRORS.find(error => error.status === status)?.meaning
      return `refused, mostly ${meaning} (${status}), last ${agoText(lastMs)}${isOver ? ', over' : ''}`
    }
    const keysOf = ({ id }: AccountView) =>
      wanted === '' ? [] : accounts.listKeys(id).filter(key => isFoundKey(key, wanted))
    const peopleOf = ({ id, email: own }: AccountView) => {
      const { members, invitations } = accounts.teams.of(id)
      const isFound = (email: string) =>
        wanted !== '' && email !== own && email.includes(wanted.toLowerCase())
      return [...members, ...invitations].filter(({ email }) => isFound(email))
    }
    // The service keeps only the start of a key.
    const isWholeKey = wanted.startsWith(KEY_PREFIX) && wanted.length === SHOWN_CHARACTERS
    return c.html(
      <Page title="Accounts" lead={state === 'ending' ? ENDING : undefined}>
        <List
          caption="Accounts"
          found={{ rows, ...found }}
          noun={['account']}
          search="email, note, key, id"
          isKeySearch
          filters={filters}
          help={
            wanted && [
              'Search for at least the first nine characters of a key, or for any part of an email address, a note or a label. For a payment or a reference, ',
              <a href={`/operator/log?${new URLSearchParams({ what: 'all', q: wanted })}`}>search the log</a>,
              '.',
            ]
          }
          columns={[
            {
              head: 'Account',
              kind: 'name',
              order: 'email',
              // The page of the account marks the key that was searched for.
              cell: row => {
                const keys = keysOf(row).map(fullKeyName).join(', ')
                const people = peopleOf(row).map(({ email, role }) => `${email} (${role})`)
                const ofKey = keys && `?${new URLSearchParams({ q: wanted })}`
                const under = [keys, ...people, lastText(row)].filter(text => text).join('; ')
                return <Named name={row.email} href={`/operator/accounts/${row.id}${ofKey}`} under={under} />
              },
            },
            { head: 'State', cell: AccountState },
            { head: 'Balance', kind: 'number', order: 'balance', cell: row => aligned(fundsMicros(row)) },
            { head: 'Used', kind: 'number', order: 'spent', cell: row => aligned(row.spentMicros) },
            { head: 'Days left', kind: 'number', order: 'left', isUp: true, cell: daysText },
            {
              head: 'Refused',
              kind: 'number',
              order: 'refused',
              cell: ({ id }) => {
                const { requests = 0 } = refused.get(id) ?? {}
                return requests > 0 && count(requests)
              },
            },
            { head: 'Last charged', order: 'seen', cell: row => dayOf(row.lastSeenMs) },
            { head: 'Opened', order: 'newest', kind: 'rare', cell: row => dayOf(row.createdMs) },
          ]}
        >
          {isWholeKey && <p class="hint">Found by its start: the rest was not compared.</p>}
          <p class="hint">
            {plural(found.matches, 'account')}, with balances of {money(balanceMicros)}
            {owed}. {withErrors}
          </p>
        </List>
      </Page>,
    )
  })
}

export async function Attention({ dashboard }: { dashboard: Dashboard }) {
  const counts = await countsOf(dashboard)
  return (
    <Facts
      facts={ATTENTION.map(state => {
        const href = `/operator/accounts?state=${state}`
        const { all = 0, paid = 0 } = counts.get(state) ?? {}
        const ofPaid = paid > 0 && ['empty', 'ending'].includes(state) && (
          <a href={`${href}&paid=yes`}>
            {count(paid)} {paid === 1 ? 'has' : 'have'} paid
          </a>
        )
        return [STATES[state], <a href={href}>{count(all)}</a>, ofPaid]
      })}
    />
  )
}

const dayOf = (ms: number | null) => (ms === null ? 'never' : <time>{utcDay(ms)}</time>)

function daysText({ daysLeft: days }: { daysLeft: number | null }): string {
  return days === null ? '—' : days > 730 ? 'over 730' : days < 1 ? 'under 1' : count(Math.floor(days))
}

export function AccountState({ standing, debtMicros, balanceMicros }: AccountView) {
  const state = standing?.state ?? 'active'
  const isUsedUp = state !== 'closed' && balanceMicros < USED_UP_MICROS
  const funds = debtMicros > 0 ? 'owes money' : isUsedUp && 'balance used up'
  const active = funds ? 'tag' : 'tag good'
  return (
    <>
      <span class={{ active, suspended: 'tag bad', closed: 'tag' }[state]}>{state}</span>{' '}
      {funds && <span class="tag bad">{funds}</span>}
    </>
  )
}
