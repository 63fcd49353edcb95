/** Who uses or tries the secrets of a key, for its page and for the steps that stop them. */
import type { KeyView } from '../../billing/accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { isListed } from '../../platform/networks.ts'
import { List, onePage } from '../layout/list.tsx'
import { Button, type Column, Time } from '../layout/parts.tsx'
import { sightingsOf } from '../reports/activity.ts'
import { operatorPath } from '../session/access.ts'
import { type Dashboard, pageContext } from '../session/page-context.ts'
import { count, headline, utcMinute } from '../words.ts'

/** Number of addresses that are not folded. */
const ADDRESSES_TOP = 5

const COLOURS = { present: 'good', earlier: 'caution', refused: 'caution', 'until replaced': '' }

type Sighting = ReturnType<typeof sightingsOf>[number]

/** Returns a link to another page of the account; on the operator's pages, only its text. */
export const ofCustomer = (href: string, text: string) =>
  operatorPath(pageContext()) ? text : <a href={href}>{text}</a>

/** True for all addresses that are not told apart. */
const isRest = ({ network }: Sighting) => network === ''

function stateOf(view: KeyView, each: Sighting): keyof typeof COLOURS {
  if (each.isFailed || isBarred(view, each)) return 'refused'
  if (each.start === view.start) return 'present'
  return each.start === view.earlier?.start ? 'earlier' : 'until replaced'
}

/** True for a present or an earlier secret at an address that a rule can name. */
export const isUsable = (view: KeyView, each: Sighting) =>
  view.revokedMs === null &&
  !each.isFailed &&
  !isRest(each) &&
  [view.start, view.earlier?.start].includes(each.start)

/** True if rules allow a network of the table; undefined without rules. */
export const isAllowedBy = (rules: readonly string[] | null, network: string) =>
  isListed(network.replace('/64', ''), rules)

/** True if the rules of the key exclude the address. */
export const isBarred = (view: KeyView, each: Sighting) =>
  isUsable(view, each) && isAllowedBy(view.rules.addresses, each.network) === false

type UsesProps = { dashboard: Dashboard; view: KeyView; canAllow?: boolean }

/** Addresses by secret, the newest first, because it may be a stranger's. Only those that the rules allow are ticked. */
export function KeyUses({ dashboard, view, canAllow = false }: UsesProps) {
  const sightings = sightingsOf(dashboard, view)
  const sorted = sightings.sort((a, b) => Number(isRest(a)) - Number(isRest(b)) || b.firstMs - a.firstMs)
  const hasOffer = canAllow && sorted.some(each => isUsable(view, each))
  const others = sightings.some(isRest) ? ' and all others' : ''
  const path = `${operatorPath(pageContext())}/keys/${view.id}#rules-addresses`
  const requestsFrom = (network: string) => `/requests?${new URLSearchParams({ key: view.id, q: network })}`
  const allow: Column<Sighting> = {
    head: 'Allow',
    cell: each =>
      isUsable(view, each) && (
        <input
          type="checkbox"
          name="allow"
          value={each.network}
          checked={view.rules.addresses !== null && !isBarred(view, each)}
          aria-label={`Allow ${each.network}`}
        />
      ),
  }
  return (
    <form class="stack" id="uses" action={path}>
      <List
        title={`Requests by address since ${utcMinute(dashboard.dataPlane.activity.sinceMs)} UTC, newest first`}
        found={onePage(sorted, sightings.filter(each => !isRest(each)).length)}
        noun={[`address${others}`, `addresses${others}`]}
        top={ADDRESSES_TOP}
        empty="This server has no request with the key."
        columns={[
          {
            head: 'Address',
            kind: 'name',
            cell: ({ network }) => (network ? ofCustomer(requestsFrom(network), network) : 'all others'),
          },
          {
            head: 'Secret',
            cell: each => {
              const state = stateOf(view, each)
              const start = each.start !== view.start && <code>{each.start}…</code>
              return [<span class={`tag ${COLOURS[state]}`}>{state}</span>, ' ', start]
            },
          },
          // In a burst, only some are seen.
          { head: 'Requests seen', kind: 'number', cell: ({ requests }) => count(requests) },
          { head: 'Errors', kind: 'number', cell: ({ refused }) => count(refused) },
          { head: 'Cost', kind: 'number', cell: ({ queries }) => headline(queries * QUERY_PRICE_MICROS) },
          { head: 'First', cell: ({ firstMs }) => <Time ms={firstMs} /> },
          { head: 'Last', cell: ({ lastMs }) => <Time ms={lastMs} /> },
          ...(hasOffer ? [allow] : []),
        ]}
      />
      {hasOffer && (
        <p class="actions">
          <Button text="Allow only the ticked addresses" />
          <span class="hint">Tick your own. Nothing changes before you save the rules.</span>
        </p>
      )}
    </form>
  )
}
