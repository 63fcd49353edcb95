import { HTTPException } from 'hono/http-exception'
import type { KeyView, NamedKeyRules } from '../../billing/accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { parseNetwork } from '../../platform/networks.ts'
import { SECOND_MS } from '../../platform/time.ts'
import { Chart } from '../layout/chart.tsx'
import type { Fields, Step, StepPage, Values } from '../layout/form.tsx'
import { addForm, addStep, Fold, keptMoment, shownMoment } from '../layout/form.tsx'
import { List, onePage } from '../layout/list.tsx'
import { Banner, Page } from '../layout/page.tsx'
import { Button, type Column, Facts, Form, Link, Section, Time } from '../layout/parts.tsx'
import { CAP, LABEL, OVERLAP, RULES } from '../operator/operator-key-commands.ts'
import {
  countedText,
  isInRules,
  leaksOf,
  refusalRows,
  type Sighting,
  sightingsOf,
} from '../reports/activity.ts'
import { RULE_REFUSALS } from '../reports/figures.ts'
import { spendOf, total } from '../reports/spend.ts'
import { usageSeries, WEEK } from '../reports/usage-series.ts'
import { FreshCard } from '../sections/fresh-key.tsx'
import { KeyState } from '../sections/key-list.tsx'
import { ReasonList } from '../sections/request-lists.tsx'
import { accountOf, operatorPath } from '../session/access.ts'
import { formText } from '../session/forms.ts'
import { createFreshKey } from '../session/fresh-key.ts'
import { type Dashboard, type PageApp, type PageContext, pageContext } from '../session/page-context.ts'
import { sumOf } from '../sums.ts'
import { count, headline, keyState, money, quotedName, ruleTexts, utcMinute } from '../words.ts'

export function rulesOf({ expiresMs, addresses, endpoints, ...limits }: Values<typeof RULES>): NamedKeyRules {
  return { expiresMs, limits, addresses, endpoints }
}

/** Returns the problem of a time that is over. @param present text of the key's expiry, which may be over */
export function expiryProblem({ expiresMs }: Partial<Values<typeof RULES>>, present = '') {
  const isOver = expiresMs != null && expiresMs <= Date.now() && shownMoment(expiresMs) !== present
  return isOver ? { expiresMs: 'A key expires at a time in the future. To stop it now, revoke it.' } : {}
}

type KeyStep<F extends Fields> = Omit<StepPage<F>, 'ask'> & {
  ask(c: PageContext, view: KeyView): Step<F> | false | null
}

/** Adds the page of a key and its forms, for members of its account, or for operators. */
export function addKeyPage(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard
  /** Returns the key of the path. @throws HTTPException 404 if it is not a key of this account */
  const keyOf = (c: PageContext): KeyView => {
    const key = accounts.key(c.req.param('id') ?? '')
    const message = operatorPath(c) && `This account has no key ${c.req.param('id')}.`
    if (key?.account !== accountOf(c, accounts).id) throw new HTTPException(404, { message })
    return key
  }
  const pathOf = (c: PageContext) => `${operatorPath(c)}/keys/${keyOf(c).id}`
  /** Adds a step for a key that is not revoked. It shows who uses the key, and operators also whose it is. */
  const addKeyStep = <F extends Fields = Record<never, never>>(name: string, step: KeyStep<F>) =>
    addStep(app, `/keys/:id/${name}`, pathOf, {
      ...step,
      ask: c => {
        const view = keyOf(c)
        const asked = view.revokedMs === null && step.ask(c, view)
        if (!asked) return null
        const lead = [<code>{view.start}…</code>, operatorPath(c) && ` of ${accountOf(c, accounts).email}`]
        return { lead, below: <KeyUses {...{ dashboard, view }} />, ...asked }
      },
    })

  app.get('/keys/:id', c => c.html(keyPage(c, dashboard, keyOf(c))))

  addForm(app, '/keys/:id/rename', pathOf, { label: LABEL }, async (c, { label }) => {
    await accounts.renameKey(keyOf(c).id, label)
    return 'The key is renamed.'
  })

  addForm(app, '/keys/:id/cap', pathOf, { usd: CAP }, async (c, { usd }) => {
    const { id, capMicros } = keyOf(c)
    await accounts.setKeyCap(id, usd)
    if (usd === capMicros) return 'Nothing was changed: the key has this cap already.'
    return usd === null ? 'The cap is removed.' : 'The cap is set.'
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

  addKeyStep('roll', {
    fields: { overlap: OVERLAP },
    ask: (c, view) => {
      const { start, previous, offMs } = view
      const spend = spendOf(accounts, accountOf(c, accounts), Date.now())
      const isLeaked = operatorPath(c) !== '' || leaksOf(dashboard, spend, [view]).length > 0
      // One of several addresses may be a stranger's: only the reader knows.
      const isOfSeveral = sightingsOf(dashboard, view).filter(({ isUsable }) => isUsable).length > 1
      return {
        title: `Roll ${quotedName(view)}?`,
        text: [
          `The key gets a new secret, which is shown once. The present one, ${start}…, ${offMs === null ? 'stops working when you choose below' : 'will be refused for good'}. `,
          previous && `The earlier one, ${previous.start}…, will be refused. `,
          offMs !== null && 'The key stays off. To switch it on is a second step.',
        ],
        // A key is switched off because its secret leaked, and operators roll it for that.
        hidden: { from: start, ...(offMs !== null && { overlap: '0' }) },
        ...((isLeaked || isOfSeveral) && { values: { overlap: isLeaked ? 0 : null } }),
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
        ({ previous }) =>
          `The key is rolled.${previous ? '' : ` Its earlier secret ${from}… is refused from now on.`}${operatorPath(c) && ` Send the new one to ${accountOf(c, accounts).email} in a safe way: only you see it, and only now.`}`,
        () =>
          `Nothing was changed: the key has been rolled since you opened the form. Its secret ${accounts.key(id)?.start}… was shown once.`,
      )
    },
  })

  addKeyStep('end-overlap', {
    ask: (_, view) =>
      view.previous && {
        title: 'Refuse the earlier secret now?',
        lead: overlapText(view),
        text: 'Requests with it will be refused at once. Only the present secret will work.',
        button: 'Refuse it now',
      },
    run: async c => {
      await accounts.endKeyOverlap(keyOf(c).id)
      return 'Only the present secret works from now on.'
    },
  })

  addKeyStep('switch', {
    ask: (_, view) =>
      view.offMs === null && {
        title: `Switch off ${quotedName(view)}?`,
        text: 'Requests with it get 401 until it is switched on again. Its rules, cap and usage stay.',
        hidden: { to: 'off' },
        button: 'Switch the key off',
      },
    run: async c => {
      const isOn = (await formText(c, 'to')) === 'on'
      await accounts.switchKey(keyOf(c).id, isOn)
      if (!isOn) return 'The key is off. Requests with it are refused from now on.'
      const state = keyState(keyOf(c))
      if (state === 'active') return 'The key is on. Requests with it are answered again.'
      return { caution: `The key is on, but its state is “${state}”.` }
    },
  })

  addKeyStep('revoke', {
    ask: (c, view) => ({
      title: `Revoke ${quotedName(view)}?`,
      text: (
        <>
          Requests with this key
          {view.previous && `, and with its earlier secret ${view.previous.start}…,`} will get{' '}
          <code>401 Invalid API key</code>. This cannot be undone. To replace a leaked secret,{' '}
          <a href={`${pathOf(c)}/roll`}>roll the key</a>. To stop it for a while,{' '}
          <a href={`${pathOf(c)}/switch`}>switch it off</a>.
        </>
      ),
      button: 'Revoke the key',
    }),
    run: async c => {
      const view = keyOf(c)
      await accounts.revokeKey(view.id)
      return view.revokedMs === null
        ? `The key ${quotedName(view)} is revoked. Requests with it are refused from now on.`
        : `Nothing was changed: this key has been revoked since ${utcMinute(view.revokedMs)} UTC.`
    },
  })
}

function keyPage(c: PageContext, dashboard: Dashboard, view: KeyView) {
  const { accounts, dataPlane } = dashboard
  const { id, label, start, rules, capMicros, revokedMs, offMs } = view
  const account = accountOf(c, accounts)
  const operator = operatorPath(c)
  const path = `${operator}/keys/${id}`
  const isChangeable = revokedMs === null && account.standing?.state !== 'closed'
  const nowMs = Date.now()
  const week = usageSeries(accounts, view.account, { ...WEEK, key: id }, nowMs)
  const [leak] = leaksOf(dashboard, spendOf(accounts, account, nowMs), [view])
  // In trouble, the addresses are on the first screen.
  const isInTrouble = leak !== undefined || view.isCapped
  const uses = <KeyUses {...{ dashboard, view }} canAllow={isChangeable} />
  const counts = refusalRows(dashboard, view.account, nowMs).filter(({ keyId }) => keyId === id)
  const period = countedText(dataPlane, nowMs)
  const errors = count(sumOf(counts.map(({ requests }) => requests)))
  const ticked = tickedAddresses(dashboard, view)
  return (
    <Page
      title={label || 'Unnamed key'}
      up={operator ? [operator, account.email] : ['/keys', 'API keys']}
      lead={
        <>
          <code>{start}…</code> <KeyState view={view} />{' '}
          {(revokedMs ?? offMs) !== null && ['since ', <Time ms={revokedMs ?? offMs} />]} · created{' '}
          <Time ms={view.createdMs} /> · <code>{id}</code>
        </>
      }
    >
      <FreshCard dashboard={dashboard} isOff={offMs !== null} />
      <Banner text={overlapText(view)} kind="caution" remedy={[`${path}/end-overlap`, 'End the overlap']} />
      <Banner
        text={leak && `This key ${leak.text}. If that is not your program:`}
        kind="caution"
        remedy={[`${path}/roll`, 'Roll the key']}
      >
        {' or '}
        <a href="#uses">allow only your addresses</a>
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
      {isInTrouble && uses}
      <Facts
        facts={[
          [
            'Queries in seven days',
            ofCustomer(`/usage?key=${id}`, count(week.total)),
            `${count(total(view.queries))} in all`,
          ],
          [
            'Spent this month',
            headline(view.monthSpentMicros),
            capMicros === null ? 'no cap' : `of ${money(capMicros)}`,
          ],
          ['Errors', ofCustomer(`/requests?only=errors&key=${id}`, errors), period],
          ['Last charged', <Time ms={view.lastUsedMs} />],
        ]}
      />
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
            now={ruleTexts(rules) + (ticked ? ' now; the ticked addresses are not saved yet' : '')}
            hint={`The rules apply from the next request on. ${RULE_REFUSALS}`}
            action={`${path}/rules`}
            class="grid"
            fields={RULES}
            values={{ ...rules, ...rules.limits, ...ticked }}
            hints={{ addresses: ticked && <strong role="status">Not saved yet: save the rules.</strong> }}
            button="Save the rules"
            kind="primary"
          />
        </section>
      )}
      {!isInTrouble && uses}
      {counts.length > 0 && (
        <ReasonList {...{ counts, account, period, of: id }} keys={[view]} operator={operator || undefined} />
      )}
      <Section title="Queries of the last seven days">
        <Chart
          title="Queries by day"
          empty="Nothing was charged in seven days."
          usage={week}
          isPriced
          requests={operator ? undefined : `/requests?key=${id}`}
        />
      </Section>
      {operator && <a href={`/operator/log?q=${view.account}&key=${id}`}>Log of this key</a>}
    </Page>
  )
}

/** Warns of the addresses and endpoints in use that the rules of a key exclude; `''` for none. */
function barredText(dashboard: Dashboard, view: KeyView): string {
  const { endpoints } = view.rules
  const ofKey = { ...WEEK, key: view.id }
  const { series } = usageSeries(dashboard.accounts, view.account, ofKey, Date.now(), Infinity)
  const networks = sightingsOf(dashboard, view).flatMap(each => (each.isBarred ? each.network : []))
  const names = series.flatMap(({ label }) => (endpoints?.includes(label) === false ? label : []))
  const barred = [...new Set([...networks, ...names])].join(', ')
  return barred && ` Used in the last seven days, and refused with 403 now: ${barred}.`
}

/** Returns until when the earlier secret works; `''` if it does not work. */
function overlapText({ previous, offMs }: KeyView): string {
  if (previous === null) return ''
  const but = offMs === null ? '' : ', but not while the key is off'
  return `The earlier secret ${previous.start}… works until ${utcMinute(previous.untilMs)} UTC${but}.`
}

/** Returns the addresses that somebody ticked, with the rules that allow no other one of the table. */
function tickedAddresses(dashboard: Dashboard, view: KeyView) {
  const asked = pageContext().req.queries('allow') ?? []
  const ticked = asked.filter(each => parseNetwork(each) !== null)
  if (ticked.length === 0) return undefined
  const others = sightingsOf(dashboard, view).filter(each => each.isUsable && !ticked.includes(each.network))
  const kept = (view.rules.addresses ?? []).filter(
    rule => !others.some(({ network }) => isInRules(network, [rule])),
  )
  return { addresses: [...kept, ...new Set(ticked.filter(each => !isInRules(each, kept)))] }
}

const COLOURS = { present: 'good', earlier: 'caution', refused: 'caution', 'until replaced': '' }

/** Returns a link to another page of the account; on the operator's pages, only its text. */
const ofCustomer = (href: string, text: string) =>
  operatorPath(pageContext()) ? text : <a href={href}>{text}</a>

/** True for all addresses that are not told apart. */
const isRest = ({ network }: Sighting) => network === ''

function stateOf(view: KeyView, each: Sighting): keyof typeof COLOURS {
  if (view.revokedMs !== null || each.isFailed || each.isBarred) return 'refused'
  if (each.start === view.start) return 'present'
  return each.start === view.previous?.start ? 'earlier' : 'until replaced'
}

type UsesProps = { dashboard: Dashboard; view: KeyView; canAllow?: boolean }

/** Addresses by secret, the newest first, because it may be a stranger's. Only those that the rules allow are ticked. */
function KeyUses({ dashboard, view, canAllow = false }: UsesProps) {
  const sightings = sightingsOf(dashboard, view)
  const ticked = pageContext().req.queries('allow')
  sightings.sort((a, b) => Number(isRest(a)) - Number(isRest(b)) || b.firstMs - a.firstMs)
  const hasOffer = canAllow && sightings.some(({ isUsable }) => isUsable)
  const others = sightings.some(isRest) ? ' and all others' : ''
  const path = `${operatorPath(pageContext())}/keys/${view.id}#rules-addresses`
  const requestsFrom = (network: string) => `/requests?${new URLSearchParams({ key: view.id, q: network })}`
  const allow: Column<Sighting> = {
    head: 'Allow',
    cell: each =>
      each.isUsable && (
        <input
          type="checkbox"
          name="allow"
          value={each.network}
          checked={ticked?.includes(each.network) ?? (view.rules.addresses !== null && !each.isBarred)}
          aria-label={`Allow ${each.network}`}
        />
      ),
  }
  return (
    <form class="stack" id="uses" action={path}>
      <List
        title={`Requests by address since ${utcMinute(dashboard.dataPlane.activity.sinceMs)} UTC, newest first`}
        found={onePage(sightings, sightings.filter(each => !isRest(each)).length)}
        noun={[`address${others}`, `addresses${others}`]}
        top={5}
        empty="None was seen by this server."
        columns={[
          {
            head: 'Address',
            kind: 'name',
            cell: ({ network, isNew }) => [
              network ? ofCustomer(requestsFrom(network), network) : 'all others',
              isNew && [' ', <span class="tag caution">new</span>],
            ],
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
          { head: 'First', cell: ({ firstMs }) => <Time ms={firstMs} seconds /> },
          { head: 'Last', cell: ({ lastMs }) => <Time ms={lastMs} seconds /> },
          ...(hasOffer ? [allow] : []),
        ]}
      />
      <p class="hint">Of a burst, only some requests are seen. The figures of the key count all.</p>
      {hasOffer && (
        <p class="actions">
          <Button text="Allow only the ticked addresses" />
          <span class="hint">Tick your own. Nothing changes before you save the rules.</span>
        </p>
      )}
    </form>
  )
}
