import { HTTPException } from 'hono/http-exception'
import type { PropsWithChildren } from 'hono/jsx'
import { KEY_REFUSALS } from '../../billing/accounts/live/live-layout.ts'
import type { KeyView, NamedKeyRules } from '../../billing/accounts/views.ts'
import { isListed, parseNetwork } from '../../platform/networks.ts'
import { SECOND_MS } from '../../platform/time.ts'
import { Chart } from '../layout/chart.tsx'
import { addForm, addStep, Fold, keptMoment, shownMoment, type Values } from '../layout/form.tsx'
import { List, onePage } from '../layout/list.tsx'
import { Banner, Page } from '../layout/page.tsx'
import { Facts, Form, Link, Section, Time } from '../layout/parts.tsx'
import { CAP, LABEL, OVERLAP, RULES } from '../operator/operator-key-commands.ts'
import { countedText, type Refusal, refusalRows, sightingsOf } from '../reports/activity.ts'
import { RULE_REFUSALS } from '../reports/figures.ts'
import { total } from '../reports/spend.ts'
import { sumOf, usageSeries, WEEK } from '../reports/usage-series.ts'
import { FreshCard } from '../sections/fresh-key.tsx'
import { KeyState, shownState } from '../sections/key-list.tsx'
import { ReasonList } from '../sections/request-lists.tsx'
import { accountOf, operatorPath } from '../session/access.ts'
import { formText } from '../session/forms.ts'
import { createFreshKey } from '../session/fresh-key.ts'
import { type Dashboard, type PageApp, type PageContext, pageContext } from '../session/page-context.ts'
import { agoText, count, headline, money, quotedName, ruleTexts, utcMinute } from '../words.ts'

/** Maximum number of addresses or endpoints in a sentence. */
const NAMED_MAX = 3
/** Number of addresses that are not folded. */
const ADDRESSES_TOP = 5

export function rulesOf({ expiresMs, addresses, endpoints, ...limits }: Values<typeof RULES>): NamedKeyRules {
  return { expiresMs, limits, addresses, endpoints }
}

/** Returns the problem of a time that is over. @param present text of the key's expiry, which may be over */
export function expiryProblem({ expiresMs }: Partial<Values<typeof RULES>>, present = '') {
  const isOver = expiresMs != null && expiresMs <= Date.now() && shownMoment(expiresMs) !== present
  return isOver ? { expiresMs: 'A key expires at a time in the future. To stop it now, revoke it.' } : {}
}

/** Adds the page of a key and its forms, for members of its account, or for operators. */
export function addKeyPage(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard
  /** Returns the key of the path. @throws HTTPException 404 if it is not a key of this account */
  const keyOf = (c: PageContext): KeyView => {
    const key = accounts.key(c.req.param('id') ?? '')
    if (key?.account !== accountOf(c, accounts).id) throw new HTTPException(404)
    return key
  }
  const pathOf = (c: PageContext) => `${operatorPath(c)}/keys/${keyOf(c).id}`
  /** Returns the beginning of the secret; for operators, also the account. */
  const leadOf = (c: PageContext, start: string) => [
    <code>{start}…</code>,
    operatorPath(c) && ` of ${accountOf(c, accounts).email}`,
  ]

  app.get('/keys/:id', async c => c.html(await keyPage(c, dashboard, keyOf(c))))

  addForm(app, '/keys/:id/rename', pathOf, { label: LABEL }, async (c, { label }) => {
    await accounts.renameKey(keyOf(c).id, label)
    return 'The key is renamed.'
  })

  addForm(app, '/keys/:id/cap', pathOf, { usd: CAP }, async (c, { usd }) => {
    const { id, capMicros } = keyOf(c)
    const { isCapped, monthSpentMicros } = await accounts.setKeyCap(id, usd)
    if (usd === capMicros) return 'Nothing was changed: the key has this cap already.'
    if (usd === null) return 'The cap is removed.'
    if (!isCapped) return 'The cap is set.'
    return {
      caution: `The cap is set. The key has spent ${money(monthSpentMicros)} this month, so it is stopped until the next month or a higher cap.`,
    }
  })

  const setRules = async (c: PageContext, typed: Values<typeof RULES>) => {
    const { id, rules } = keyOf(c)
    const expiresMs = keptMoment(typed.expiresMs, rules.expiresMs)
    const saved = await accounts.setKeyRules(id, rulesOf({ ...typed, expiresMs }))
    const notice = 'The rules are saved. They apply from the next request on.'
    const concern = barredText(dashboard, saved)
    return concern === '' ? notice : { caution: notice + concern }
  }
  addForm(app, '/keys/:id/rules', pathOf, RULES, setRules, (c, values) =>
    expiryProblem(values, shownMoment(keyOf(c).rules.expiresMs)),
  )

  addStep(app, '/keys/:id/roll', pathOf, {
    fields: { overlap: OVERLAP },
    ask: c => {
      const view = keyOf(c)
      const { start, earlier, revokedMs, offMs } = view
      if (revokedMs !== null) return null
      return {
        title: `Roll ${quotedName(view)}?`,
        lead: leadOf(c, start),
        text: (
          <ul class="stack">
            <li>The key gets a new secret, which is shown once.</li>
            <Used {...{ dashboard, view, start }}>
              {offMs === null ? 'It works as long as you choose.' : 'It will be refused for good.'}
            </Used>
            {earlier && <Used {...{ dashboard, view, start: earlier.start }}>It will be refused.</Used>}
            {offMs !== null && <li>The key stays off. To switch it on is a second step.</li>}
          </ul>
        ),
        // A key is switched off because its secret leaked.
        hidden: { from: start, ...(offMs !== null && { overlap: '0' }) },
        button: 'Roll the key',
        kind: 'primary',
      }
    },
    run: async (c, { overlap }) => {
      const { id } = keyOf(c)
      const from = await formText(c, 'from')
      return createFreshKey(
        c,
        accounts,
        pathOf(c),
        () => accounts.rollKey(id, (overlap ?? 0) * SECOND_MS, from),
        ({ earlier }) =>
          `The key is rolled.${earlier ? '' : ` Its earlier secret ${from}… is refused from now on.`}${operatorPath(c) && ` Send the new one to ${accountOf(c, accounts).email} in a safe way: only you see it, and only now.`}`,
        () =>
          `Nothing was changed: the key has been rolled since you opened the form. Its secret ${accounts.key(id)?.start}… was shown once.`,
      )
    },
  })

  addStep(app, '/keys/:id/end-overlap', pathOf, {
    ask: async c => {
      const { earlier } = keyOf(c)
      if (earlier === null) return null
      return {
        title: 'Refuse the earlier secret now?',
        lead: await overlapText(dashboard, keyOf(c)),
        text: 'Requests with it will be refused at once. Only the present secret will work.',
        button: 'Refuse it now',
      }
    },
    run: async c => {
      await accounts.endKeyOverlap(keyOf(c).id)
      return 'Only the present secret works from now on.'
    },
  })

  addStep(app, '/keys/:id/switch', pathOf, {
    ask: c => {
      const view = keyOf(c)
      if ((view.revokedMs ?? view.offMs) !== null) return null
      return {
        title: `Switch off ${quotedName(view)}?`,
        lead: leadOf(c, view.start),
        text: [
          'Requests with it get 401 until it is switched on again. Its rules, cap and usage stay.',
          <UsesOf {...{ dashboard, view }} />,
        ],
        hidden: { to: 'off' },
        button: 'Switch the key off',
      }
    },
    run: async c => {
      const isOn = (await formText(c, 'to')) === 'on'
      await accounts.switchKey(keyOf(c).id, isOn)
      if (!isOn) return 'The key is off. Requests with it are refused from now on.'
      const state = shownState(accountOf(c, accounts), keyOf(c))
      if (state === 'active') return 'The key is on. Requests with it are answered again.'
      return { caution: `The key is on, but its state is “${state}”.` }
    },
  })

  addStep(app, '/keys/:id/revoke', pathOf, {
    ask: c => {
      const view = keyOf(c)
      const { start, revokedMs, earlier } = view
      if (revokedMs !== null) return null
      return {
        title: `Revoke ${quotedName(view)}?`,
        lead: leadOf(c, start),
        text: (
          <>
            Requests with this key{earlier && `, and with its earlier secret ${earlier.start}…,`} will get{' '}
            <code>401 Invalid API key</code>. This cannot be undone. To replace a leaked secret,{' '}
            <a href={`${pathOf(c)}/roll`}>roll the key</a>. To stop it for a while,{' '}
            <a href={`${pathOf(c)}/switch`}>switch it off</a>.
            <UsesOf {...{ dashboard, view }} />
          </>
        ),
        button: 'Revoke the key',
      }
    },
    run: async c => {
      const view = keyOf(c)
      await accounts.revokeKey(view.id)
      return view.revokedMs === null
        ? `The key ${quotedName(view)} is revoked. Requests with it are refused from now on.`
        : `Nothing was changed: this key has been revoked since ${utcMinute(view.revokedMs)} UTC.`
    },
  })
}

async function keyPage(c: PageContext, dashboard: Dashboard, view: KeyView) {
  const { accounts, dataPlane } = dashboard
  const { id, label, start, rules, capMicros, revokedMs, offMs } = view
  const account = accountOf(c, accounts)
  const operator = operatorPath(c)
  const path = `${operator}/keys/${id}`
  const isChangeable = revokedMs === null && account.standing?.state !== 'closed'
  const nowMs = Date.now()
  const week = usageSeries(accounts, view.account, { ...WEEK, key: id }, nowMs)
  const counts = refusalRows(dashboard, view.account, nowMs).filter(({ keyId }) => keyId === id)
  const period = countedText(dataPlane, nowMs)
  const errors = (status?: number) =>
    sumOf(counts.map(each => (each.status === (status ?? each.status) ? each.requests : 0)))
  return (
    <Page
      title={label || 'Unnamed key'}
      up={operator ? [operator, account.email] : ['/keys', 'API keys']}
      lead={
        <>
          <code>{start}…</code> <KeyState {...{ account, view }} />{' '}
          {(revokedMs ?? offMs) !== null && ['since ', <Time ms={revokedMs ?? offMs} />]} · created{' '}
          <Time ms={view.createdMs} /> · <code>{id}</code>
        </>
      }
    >
      <FreshCard dashboard={dashboard} isOff={offMs !== null} />
      <Banner text={await overlapText(dashboard, view)} kind="caution">
        <a href={`${path}/end-overlap`}>End the overlap</a>
      </Banner>
      {isChangeable && (
        <div class="actions">
          <Link isForm href={`${path}/roll`} text="Roll" />
          {offMs === null ? (
            <Link isForm href={`${path}/switch`} text="Switch off" />
          ) : (
            <Form action={`${path}/switch`} hidden={{ to: 'on' }} button="Switch on" />
          )}
          <Link isForm kind="danger end" href={`${path}/revoke`} text="Revoke" />
        </div>
      )}
      <Facts
        facts={[
          [
            'Queries in seven days',
            own(`/usage?key=${id}`, count(week.total)),
            `${count(total(view.queries))} in all`,
          ],
          [
            'Spent this month',
            headline(view.monthSpentMicros),
            capMicros === null ? 'no cap' : `of ${money(capMicros)}`,
          ],
          [
            'Errors',
            own(`/requests?only=errors&key=${id}`, count(errors())),
            errors(404) > 0 ? `of these ${count(errors(404))} not found` : period,
          ],
          ['Last charged', <Time ms={view.lastUsedMs} />],
        ]}
      />
      <UsedFrom {...{ view, counts, dashboard }} />
      {isChangeable && (
        <section class="card" aria-label="Name, cap and rules">
          <Fold
            title="Name"
            now={label || 'unnamed'}
            hint="Name of this key in lists, charts and files."
            action={`${path}/rename`}
            fields={{ label: LABEL }}
            values={{ label }}
            button="Rename"
          />
          <Fold
            title="Monthly cap"
            now={capMicros === null ? 'none' : money(capMicros)}
            hint={`Maximum spending of this key in a calendar month (UTC). Further requests are refused with 402. ${money(view.monthSpentMicros)} is spent this month: a cap of that or less stops the key at once.`}
            action={`${path}/cap`}
            fields={{ usd: CAP }}
            values={{ usd: capMicros }}
            button="Set the cap"
          />
          <Fold
            title="Rules"
            now={ruleTexts(rules)}
            hint={`The rules apply from the next request on. ${RULE_REFUSALS}`}
            action={`${path}/rules`}
            class="grid"
            fields={RULES}
            values={{ ...rules, ...rules.limits, ...allowedTo(rules.addresses) }}
            button="Save the rules"
          />
        </section>
      )}
      {counts.length > 0 && (
        <ReasonList {...{ counts, account, period, of: id }} keys={[view]} operator={operator || undefined} />
      )}
      <Section title="Queries of the last seven days">
        <Chart
          title="Queries by day"
          empty="Nothing was charged in seven days."
          usage={week}
          requests={operator ? undefined : `/requests?key=${id}`}
        />
      </Section>
      {operator && <a href={`/operator/log?q=${view.account}&key=${id}`}>Log of this key</a>}
    </Page>
  )
}

/** Returns a link to another page of the account; on the operator's pages, only its text. */
const own = (href: string, text: string) => (operatorPath(pageContext()) ? text : <a href={href}>{text}</a>)

/** Returns who uses or tries a secret of the key, also for steps that stop them. */
async function useText(dashboard: Dashboard, view: KeyView, start: string): Promise<string> {
  const { audit, dataPlane } = dashboard
  const seen = sightingsOf(dashboard, view).filter(each => each.start === start)
  const [last] = seen.sort((a, b) => b.lastMs - a.lastMs)
  if (last === undefined)
    return `The log of this server has no request with it since ${utcMinute(dataPlane.activity.sinceMs)} UTC.`
  const ago = ({ lastMs, network }: Sighting) => `${agoText(lastMs)}${network && `, from ${network}`}`
  const used = seen.find(({ isFailed, refused, requests }) => !isFailed && refused < requests)
  const other =
    last === used ? '' : `Its last request ${last.isFailed ? 'was refused' : 'failed'} ${ago(last)}. `
  if (used === undefined) return other
  const networks = new Set(seen.flatMap(({ network }) => network || [])).size
  const text = `${other}It was last used ${ago(used)}${networks > 1 ? `, one of ${networks} addresses` : ''}`
  if (start === view.start || other) return `${text}.`
  const { rows } = await audit.page(view.account, 1, ({ what, key }) => what === 'roll' && key === view.id)
  const isBefore = last.lastMs < (rows[0]?.timeMs ?? 0)
  return `${text}${isBefore ? ', before the roll. This server has no later request with it, counted within seconds' : ''}.`
}

type Sighting = ReturnType<typeof sightingsOf>[number]
type UsedProps = PropsWithChildren<{ dashboard: Dashboard; view: KeyView; start: string }>

const Used = async ({ dashboard, view, start, children }: UsedProps) => (
  <li>
    <code>{start}…</code> is the {start === view.start ? 'present' : 'earlier'} secret. {children}{' '}
    {await useText(dashboard, view, start)}
  </li>
)

/** The present secret, and the one before it. */
const UsesOf = ({ dashboard, view }: { dashboard: Dashboard; view: KeyView }) => (
  <ul>{view.starts.slice(0, 2).map(start => Used({ dashboard, view, start }))}</ul>
)

function firstOf(names: readonly string[]): string {
  const all = [...new Set(names)]
  const more = all.length - NAMED_MAX
  return all.slice(0, NAMED_MAX).join(', ') + (more > 0 ? ` and ${count(more)} more` : '')
}

/** True for a present or an earlier secret at an address that a rule can name. */
const isUsable = (view: KeyView, { network, isFailed, start }: Sighting) =>
  view.revokedMs === null && !isFailed && network !== '' && [view.start, view.earlier?.start].includes(start)

const isBarred = (view: KeyView, each: Sighting) =>
  isUsable(view, each) && isListed(each.network.replace('/64', ''), view.rules.addresses) === false

/** Warns of the networks and endpoints in use that the rules of a key exclude; `''` for none. */
function barredText(dashboard: Dashboard, view: KeyView): string {
  const { endpoints } = view.rules
  const ofKey = { ...WEEK, key: view.id }
  const { series } = usageSeries(dashboard.accounts, view.account, ofKey, Date.now(), Infinity)
  const networks = sightingsOf(dashboard, view).flatMap(each => (isBarred(view, each) ? each.network : []))
  const names = series.flatMap(({ label }) => (endpoints?.includes(label) === false ? label : []))
  const barred = firstOf([...networks, ...names])
  return barred && ` Used in the last seven days, and refused with 403 now: ${barred}.`
}

/** Returns until when the earlier secret works and who still uses it; `''` if it does not work. */
async function overlapText(dashboard: Dashboard, view: KeyView): Promise<string> {
  const { earlier, offMs } = view
  if (earlier === null) return ''
  const until = `${utcMinute(earlier.untilMs)} UTC${offMs === null ? '' : ', but not while the key is off'}`
  return `The earlier secret ${earlier.start}… works until ${until}. ${await useText(dashboard, view, earlier.start)}`
}

/** Returns the allowed addresses with one more, which a link proposes. */
function allowedTo(addresses: readonly string[] | null) {
  const allow = pageContext().req.query('allow') ?? ''
  return parseNetwork(allow) !== null && { addresses: [...(addresses ?? []), allow] }
}

type UsedFromProps = { view: KeyView; dashboard: Dashboard; counts: readonly Refusal[] }

/** Networks, first who still tries an earlier secret, then the newest, maybe a stranger's. Of many, the busiest. */
function UsedFrom({ view, dashboard, counts }: UsedFromProps) {
  const sightings = sightingsOf(dashboard, view)
  if (sightings.length === 0) return null
  const isRest = ({ network }: Sighting) => network === ''
  const isFolded = sightings.length > ADDRESSES_TOP + 1
  const weight = (each: Sighting) =>
    isRest(each) ? -1 : each.isFailed && each.start !== view.start ? Infinity : isFolded ? each.requests : 0
  const sorted = sightings.toSorted((a, b) => weight(b) - weight(a) || b.firstMs - a.firstMs)
  const isOpen = view.rules.addresses === null
  const others = sightings.some(isRest) ? ' and all others' : ''
  const requestsFrom = (network: string) =>
    `/requests?${new URLSearchParams({ key: view.id, q: network.replace(/::\/64$/, '') })}`
  return (
    <List
      title={`Requests by address since ${utcMinute(dashboard.dataPlane.activity.sinceMs)} UTC, ${isFolded ? 'busiest' : 'newest'} first`}
      found={onePage(sorted, sightings.filter(each => !isRest(each)).length)}
      noun={[`address${others}`, `addresses${others}`]}
      top={ADDRESSES_TOP}
      columns={[
        {
          head: 'Address',
          kind: 'name',
          cell: each => (isRest(each) ? 'all others' : own(requestsFrom(each.network), each.network)),
        },
        {
          head: 'Secret',
          cell: each => {
            const [state, kind] = each.isFailed ? failureOf(each.start, counts) : acceptedAs(view, each)
            return [<span class={`tag ${kind}`}>{state}</span>, ' ', <code>{each.start}…</code>]
          },
          below: each =>
            (isOpen ? isUsable : isBarred)(view, each) && (
              <a href={`?${new URLSearchParams({ allow: each.network })}#rules-addresses`}>
                {isOpen ? 'Allow only this address' : 'Allow it'}
              </a>
            ),
        },
        // In a burst, only some are seen.
        { head: 'Requests seen', kind: 'number', cell: ({ requests }) => count(requests) },
        { head: 'Errors', kind: 'number', cell: ({ refused }) => count(refused) },
        { head: 'First', cell: ({ firstMs }) => <Time ms={firstMs} /> },
        { head: 'Last', cell: ({ lastMs }) => <Time ms={lastMs} /> },
      ]}
    />
  )
}

/** Returns the state of a secret that was accepted, and the colour. */
function acceptedAs(view: KeyView, each: Sighting) {
  const { start, requests, refused } = each
  const isPresent = start === view.start
  if (!isPresent && start !== view.earlier?.start) return ['until replaced', '']
  if (isBarred(view, each)) return ['refused: address', 'caution']
  return isPresent ? ['present', refused < requests ? 'good' : ''] : ['earlier', 'caution']
}

/** Returns why a secret was not accepted, and the colour. Several causes are not told apart by network. */
function failureOf(start: string, counts: readonly Refusal[]) {
  const causes = counts.flatMap(({ reason, keyRefusal }) => (reason.includes(start) && keyRefusal) || [])
  const [cause = 'unknown', ...others] = new Set(causes)
  if (cause === 'unknown' || others.length > 0) return ['not accepted', 'bad']
  if (cause === 'replaced') return ['refused, replaced', 'caution']
  return [KEY_REFUSALS[cause].replace('the ', ''), 'caution']
}
