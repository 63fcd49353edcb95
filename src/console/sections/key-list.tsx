import type { Child } from 'hono/jsx'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { ERROR_HOURS } from '../../service/limits.ts'
import { List, type ListQuery, pageOf, readQuery, WAYS } from '../layout/list.tsx'
import { Named, Time } from '../layout/parts.tsx'
import { leaksOf, refusalRows } from '../reports/activity.ts'
import { isFoundKey } from '../reports/found.ts'
import { spendOf, total } from '../reports/spend.ts'
import type { Dashboard } from '../session/page-context.ts'
import { sumsByKey } from '../sums.ts'
import { count, headline, keyState, money, ruleTexts } from '../words.ts'

type Counts = Readonly<Record<'today' | 'refused', ReadonlyMap<string, number>>>

const isPresent = ({ revokedMs }: KeyView) => revokedMs === null
const STATES = {
  all: ['All', () => true],
  active: ['Active', key => isPresent(key) && !key.isExpired && key.offMs === null],
  off: ['Switched off', key => isPresent(key) && key.offMs !== null],
  capped: ['Cap used up', key => key.isCapped],
  expired: ['Expired', key => isPresent(key) && key.isExpired],
  revoked: ['Revoked', key => !isPresent(key)],
} satisfies Record<string, [text: string, holds: (key: KeyView) => boolean]>

/** Numbers, the largest first, or names. Of equal keys, the newest is first. By use, revoked ones are last. */
const ORDERS: Record<string, (key: KeyView, counts: Counts) => number | string> = {
  used: key => (isPresent(key) ? (key.lastUsedMs ?? 1) : 0),
  today: ({ id }, { today }) => today.get(id) ?? 0,
  refused: ({ id }, { refused }) => refused.get(id) ?? 0,
  spent: ({ monthSpentMicros }) => monthSpentMicros,
  label: ({ label }) => label,
}

const STATE_TEXTS = Object.fromEntries(
  Object.entries(STATES).map(([name, [text]]) => [name, text]),
) as Record<keyof typeof STATES, string>
const FILTERS = {
  state: { label: 'State', options: STATE_TEXTS },
  order: { options: Object.fromEntries(Object.keys(ORDERS).map(name => [name, ''])) },
  way: WAYS,
}

interface KeyListProps {
  account: AccountView
  keys: readonly KeyView[]
  dashboard: Dashboard
  empty: string
  /** Path of the account's page for operators; `''` on the customer's own pages. */
  operator?: string
}

export function KeyList({ account, keys, dashboard, empty, operator = '' }: KeyListProps) {
  const spend = spendOf(dashboard.accounts, account, Date.now())
  const below = (view: KeyView) => notesOf(view, leaksOf(dashboard, spend, [view])[0]?.text)
  const refusals = refusalRows(dashboard, account.id)
  const refused = sumsByKey(refusals.map(({ keyId, requests }) => [keyId, requests]))
  const query = readQuery(FILTERS)
  const refusedText = ({ id }: KeyView) => {
    const requests = refused.get(id) ?? 0
    const href = operator ? `${operator}/keys/${id}` : `/requests?only=errors&key=${id}`
    return requests > 0 && <a href={href}>{count(requests)}</a>
  }
  return (
    <List
      title="Keys"
      found={pageOf(findKeys(keys, query, { today: spend.todayByKey, refused }), query.page)}
      noun={['key']}
      {...(keys.length > 0 && { search: 'label, id or start', isKeySearch: true, filters: FILTERS })}
      empty={empty}
      rowClass={({ revokedMs }) => (revokedMs === null ? undefined : 'past')}
      columns={[
        {
          head: 'Key',
          kind: 'name',
          order: 'label',
          cell: ({ id, label, start }) => (
            <Named name={label || 'unnamed'} href={`${operator}/keys/${id}`} under={<code>{start}…</code>} />
          ),
        },
        { head: 'State', kind: 'detail', cell: view => <KeyState view={view} />, below },
        {
          head: 'Queries today',
          under: 'In all',
          kind: 'number',
          order: 'today',
          cell: ({ id, lastUsedMs }) => lastUsedMs && count(spend.todayByKey.get(id) ?? 0),
          below: ({ queries, lastUsedMs }) => lastUsedMs && count(total(queries)),
        },
        {
          head: 'Spent this month',
          kind: 'number',
          cell: ({ lastUsedMs, monthSpentMicros }) => lastUsedMs && headline(monthSpentMicros),
          order: 'spent',
          below: ({ capMicros }) => capMicros !== null && `of ${money(capMicros)}`,
        },
        { head: 'Last charged', order: 'used', cell: ({ lastUsedMs }) => <Time ms={lastUsedMs} /> },
        {
          head: `Errors, ${ERROR_HOURS}\u00a0h`,
          kind: 'number',
          order: 'refused',
          cell: refusedText,
        },
      ]}
    />
  )
}

function notesOf({ revokedMs, offMs, previous, rules, isExpired }: KeyView, leak?: string): Child {
  const sinceMs = revokedMs ?? offMs
  const others = ruleTexts({ ...rules, expiresMs: null }).replace(/^none$/, '')
  const notes = [
    leak,
    sinceMs !== null && ['since ', <Time ms={sinceMs} />],
    revokedMs === null && rules.expiresMs && [isExpired ? 'at ' : 'expires ', <Time ms={rules.expiresMs} />],
    revokedMs === null && others,
    previous && ['earlier secret until ', <Time ms={previous.untilMs} />],
  ].filter(Boolean)
  return notes.length > 0 && notes.map((note, at) => [at > 0 && '; ', note])
}

/** Returns the keys that match a query, in its order. @param keys in the order of their creation */
function findKeys(keys: readonly KeyView[], query: ListQuery<typeof FILTERS>, counts: Counts): KeyView[] {
  const { wanted, state, order, way } = query
  const [, holds] = STATES[state]
  const found = keys.filter(key => holds(key) && isFoundKey(key, wanted)).reverse()
  found.sort((a, b) => {
    const [first, second] = [ORDERS[order](a, counts), ORDERS[order](b, counts)]
    return typeof first === 'string' ? first.localeCompare(String(second), 'en') : Number(second) - first
  })
  return way === 'reversed' ? found.reverse() : found
}

const COLOURS: Record<string, string> = { revoked: '', off: ' caution', active: ' good' }

export function KeyState({ view }: { view: KeyView }) {
  const state = keyState(view)
  return <span class={`tag${COLOURS[state] ?? ' bad'}`}>{state}</span>
}
