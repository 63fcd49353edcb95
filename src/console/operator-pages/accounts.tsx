/** The list of accounts, and those that somebody has to see to. */
import {
  ACCOUNT_ORDERS,
  type AccountOrder,
  type AccountStateName,
  DISPUTE_DAYS,
  ENDING_DAYS,
  USED_UP_MICROS,
  usualOrder,
} from '../../billing/accounts/reports/account-search.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { REFUSED_STATUSES } from '../../service/errors.ts'
import { addKeySearch, List, onePage, readQuery, WAYS } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Named } from '../layout/parts.tsx'
import { needIn, needing } from '../operator/operator-account-commands.ts'
import { foundIn, referencesOf } from '../reports/found.ts'
import { leftMicros } from '../reports/refundable.ts'
import { stripeUrl } from '../reports/statement.ts'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import { aligned, count, daysText, headline, money, plural, utcDay } from '../words.ts'
import { fundsMicros } from './account-offers.tsx'

const STATES: Record<AccountStateName, string> = {
  all: 'All',
  active: 'Active',
  suspended: 'Suspended',
  closed: 'Closed',
  owing: 'Owing money, open',
  disputed: 'Payment disputed',
  late: 'Paid after closing',
  empty: 'Balance used up',
  ending: 'Runs out in a week',
  errors: 'Refused now',
  unused: 'Never used',
  stopped: 'Unused for a week',
  new: 'New this week',
}
/** Rules of states, which their names do not say. */
const RULES: Partial<Record<AccountStateName, string>> = {
  ending:
    'Balances that end within seven days at the pace of the last days, or of the first if half is used.',
  disputed: `Payments that were disputed in the last ${DISPUTE_DAYS} days, and not given back. Answer the disputes at Stripe.`,
  errors: `Active accounts with requests that got ${REFUSED_STATUSES.join(', ')} and would get it again. Other errors do not count.`,
}
const ORDERS = Object.fromEntries(ACCOUNT_ORDERS.map(order => [order, ''])) as Record<AccountOrder, string>
const PAID = { label: 'Paid', options: { all: 'All', yes: 'Has paid', no: 'Free queries only' } }

function filtersOf(counts: Awaited<ReturnType<Dashboard['accounts']['count']>>) {
  const texts = Object.entries(STATES).map(([name, text]) => [
    name,
    `${text} (${count(counts.get(name)?.all ?? 0)})`,
  ])
  const state = { label: 'State', options: Object.fromEntries(texts) as typeof STATES }
  const usual = usualOrder(readQuery({ state }).state)
  return { state, paid: PAID, order: { options: ORDERS, usual }, way: WAYS }
}

export function addAccountList(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard
  addKeySearch(app, '/operator/accounts')

  app.get('/operator/accounts', async c => {
    const needed = needing(dashboard)
    const filters = filtersOf(await accounts.count(needed.refused, needed.nowMs, needed.needsHelp))
    const { way, state, paid, order, page, wanted } = readQuery(filters)
    const hasPaid = paid === 'all' ? undefined : paid === 'yes'
    const search = { wanted, references: referencesOf(wanted), hasPaid, state, ...needed }
    const shown = { order, page, isReversed: way === 'reversed' }
    const { accounts: views, totals, ...found } = await accounts.search({ ...search, ...shown })
    const rows = views.map(view => ({ ...view, need: needIn(dashboard, view) }))
    const { balanceMicros, debtMicros } = totals()
    return c.html(
      <Page title="Accounts" lead={RULES[state]}>
        <List
          caption="Accounts"
          found={{ rows, ...found }}
          noun={['account']}
          search="email, key, payment, note"
          isKeySearch
          filters={filters}
          help={
            wanted && [
              'Search for at least the first nine characters of a key, for any part of an email address, a note or a label, or for a whole reference. ',
              <a href={`/operator/log?${new URLSearchParams({ what: 'all', q: wanted })}`}>
                Search the log for “{wanted}”
              </a>,
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
                const { isKey, texts } = foundIn(accounts, row, wanted)
                const ofKey = isKey ? `?${new URLSearchParams({ q: wanted })}` : ''
                const under = [...texts, row.need.text].filter(text => text).join('; ')
                return <Named name={row.email} href={`/operator/accounts/${row.id}${ofKey}`} under={under} />
              },
            },
            { head: 'State', cell: AccountState },
            { head: 'Balance', kind: 'number', order: 'balance', cell: row => inColumn(fundsMicros(row)) },
            { head: 'Used', kind: 'number', order: 'spent', cell: row => inColumn(row.spentMicros) },
            { head: 'Days left', kind: 'number', order: 'left', isUp: true, cell: daysText },
            {
              head: 'Refused',
              kind: 'number',
              order: 'refused',
              cell: ({ need: { refused } }) => refused > 0 && count(refused),
            },
            { head: 'Last query', order: 'seen', cell: row => dayOf(row.lastSeenMs) },
            { head: 'Opened', order: 'newest', kind: 'rare', cell: row => dayOf(row.createdMs) },
          ]}
        >
          {found.matches > 0 && (
            <p class="hint">
              {plural(found.matches, 'account')}. Balances <Amount micros={balanceMicros} />
              {debtMicros > 0 && [', owed ', <Amount micros={debtMicros} />]}.
            </p>
          )}
        </List>
      </Page>,
    )
  })
}

/** Accounts that somebody has to see to, by state, the most urgent first. */
const URGENT = [
  { state: 'errors', paid: 'yes', text: 'paying and refused now' },
  { state: 'ending', paid: 'yes', text: 'paying, and running out in a week' },
  { state: 'disputed', paid: 'all', text: 'with a disputed payment' },
  { state: 'owing', paid: 'all', text: 'owing money' },
  { state: 'late', paid: 'all', text: 'paid after they were closed' },
] as const
/** Maximum number of accounts of a state on the page of the service. */
const URGENT_MAX = 5

export async function Attention({ dashboard }: { dashboard: Dashboard }) {
  const needed = needing(dashboard)
  const lists = await Promise.all(
    URGENT.map(async ({ state, paid, text }) => {
      const hasPaid = paid === 'yes' || undefined
      const search = { state, hasPaid, perPage: URGENT_MAX, ...needed }
      const { accounts, matches } = await dashboard.accounts.search(search)
      const more = matches > URGENT_MAX && (
        <a href={`/operator/accounts?state=${state}&paid=${paid}`}>{`All ${count(matches)} ${text}`}</a>
      )
      return { accounts, more }
    }),
  )
  const rows = new Map(lists.flatMap(({ accounts }) => accounts.map(row => [row.id, row])))
  return (
    <>
      <List
        title="Who needs you"
        found={onePage([...rows.values()])}
        empty="Nobody: no paying account is refused or runs out in a week, no payment is disputed, no account owes money, and none paid after it was closed."
        columns={[
          {
            head: 'Account',
            kind: 'name',
            cell: row => <Named name={row.email} href={`/operator/accounts/${row.id}`} />,
          },
          { head: 'Why', kind: 'detail', cell: row => <Why {...{ dashboard, row }} /> },
        ]}
      />
      <p class="actions hint">
        {lists.map(({ more }) => more)}
        <span>Accounts that never paid are left out unless they owe money.</span>
      </p>
    </>
  )
}

type WhyProps = { dashboard: Dashboard; row: AccountView & { daysLeft: number | null } }

/** Reasons in the order of `URGENT`, also those of lists that name only other accounts. */
function Why({ dashboard, row }: WhyProps) {
  const { id, email, balanceMicros, debtMicros, disputedMicros } = row
  const dispute = disputedMicros > 0 && `${headline(disputedMicros)} disputed`
  const debt = debtMicros > 0 && `owes ${headline(debtMicros)}`
  const owed = [dispute, debt].filter(Boolean).join(debtMicros > disputedMicros ? ', and ' : ', so it ')
  const { text, help } = needIn(dashboard, row)
  const days = Math.floor(row.daysLeft ?? Infinity)
  const end = days < 1 ? 'less than a day' : plural(days, 'day')
  const late = lateOf(dashboard, row)
  const reasons = [
    text && [help?.link ? `${text}. ${help.text}` : text, help?.href, help?.link ?? help?.text],
    days < ENDING_DAYS && [
      `runs out in ${end}: ${headline(balanceMicros)} left`,
      `mailto:${email}`,
      'Write to them',
    ],
    owed && [owed, `/operator/accounts/${id}/money`, 'See its statement'],
    late && [late.text, late.href, 'Refund it at Stripe'],
  ].filter(reason => !!reason)
  return reasons.map(([why, href, remedy], at) => {
    // One link for two reasons.
    if (href !== undefined && href === reasons[at + 1]?.[1]) return <p>{why}</p>
    return (
      <p>
        {why} · <span class="small">{href === undefined ? remedy : <a href={href}>{remedy}</a>}</span>
      </p>
    )
  })
}

/** Returns what was paid after a closing took the balance, and where Stripe refunds it; null for nothing. */
export function lateOf({ accounts }: Dashboard, { id, standing, balanceMicros }: AccountView) {
  if (standing?.state !== 'closed' || balanceMicros === 0) return null
  const rows = accounts.statement(id)
  const closed = rows.findLastIndex(({ kind }) => kind === 'closed')
  const [one, other] = rows.slice(closed).filter(row => leftMicros(rows, row) > 0)
  const href = one && !other ? stripeUrl(one.reference) : `/operator/accounts/${id}/money`
  return { text: `closed, and paid ${headline(balanceMicros)} afterwards`, href }
}

/** An amount to read at a glance, and exactly for the pointer. */
export const Amount = ({ micros, text = headline(micros) }: { micros: number; text?: string }) => (
  <span title={money(micros)}>{text}</span>
)
const inColumn = (micros: number) => <Amount {...{ micros }} text={aligned(micros, headline(micros))} />

const dayOf = (ms: number | null) => (ms === null ? 'never' : <time>{utcDay(ms)}</time>)

export function AccountState({ standing, debtMicros, balanceMicros, disputedMicros }: AccountView) {
  const state = standing?.state ?? 'active'
  const isUsedUp = state !== 'closed' && balanceMicros < USED_UP_MICROS
  const funds = debtMicros > 0 ? 'owes money' : isUsedUp && 'balance used up'
  const active = funds ? 'tag' : 'tag good'
  return (
    <>
      <span class={{ active, suspended: 'tag bad', closed: 'tag' }[state]}>{state}</span>{' '}
      {funds && <span class="tag bad">{funds}</span>}{' '}
      {disputedMicros > 0 && <span class="tag caution">{headline(disputedMicros)} disputed</span>}
    </>
  )
}
