/** The page of an account: its keys and errors, its money, its members. */
import type { Child } from 'hono/jsx'
import { USED_UP_MICROS } from '../../billing/accounts/reports/account-search.ts'
import type { StatementRow } from '../../billing/accounts/reports/statement.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { Chart } from '../layout/chart.tsx'
import { addForm } from '../layout/form.tsx'
import { addKeySearch } from '../layout/list.tsx'
import { Banner, Page, Tabs } from '../layout/page.tsx'
import { Facts, Form, Link, Section, Time } from '../layout/parts.tsx'
import { AutoState } from '../payments/auto-pages.tsx'
import type { Recharge } from '../payments/recharge.tsx'
import { countedText, refusalRows } from '../reports/activity.ts'
import { lastsText, standingConcern } from '../reports/figures.ts'
import { isPayment, leftMicros, takenTexts } from '../reports/refundable.ts'
import { type Spend, spendOf } from '../reports/spend.ts'
import { referenceText, refundEffect, stripeUrl } from '../reports/statement.ts'
import { usageSeries, WEEK } from '../reports/usage-series.ts'
import { KeyList } from '../sections/key-list.tsx'
import { addMemberForms, Members } from '../sections/members.tsx'
import { ErrorSection, ReasonList } from '../sections/request-lists.tsx'
import { FailedPayments, Statement, statementFile } from '../sections/statement.tsx'
import { accountOf, operatorPath } from '../session/access.ts'
import { formText } from '../session/forms.ts'
import { type Dashboard, type PageApp, pageContext } from '../session/page-context.ts'
import { count, headline, limitTexts, money } from '../words.ts'
import { addOffers, fundsMicros, isOfferedOn, OFFERS } from './account-offers.tsx'
import { AccountState, Amount, lateOf } from './accounts.tsx'
import { LatestChanges } from './operator-log.tsx'

/** Tabs of an account, by the end of their paths. */
const TABS = {
  '': ['Keys and errors', KeysAndErrors],
  '/money': ['Money', Money],
  '/members': ['Members', Members],
} as const

export function addOneAccount(app: PageApp, dashboard: Dashboard, recharge: Recharge): void {
  const { accounts } = dashboard
  for (const [end, [, Part]] of Object.entries(TABS))
    app.get(`/operator/accounts/:account${end}`, c => {
      const account = accountOf(c, accounts)
      const spend = spendOf(accounts, account, Date.now())
      const props = { account, dashboard, recharge, spend }
      return c.html(<AccountPage {...props} part={<Part {...props} />} />)
    })

  addOffers(app, dashboard)
  addMemberForms(app.basePath('/operator/accounts/:account'), dashboard)
  addKeySearch(app, '/operator/accounts/:account')

  // Until the operator ends the view, every customer's page shows this account.
  addForm(app, '/operator/accounts/:account/view', operatorPath, {}, async c => {
    const { id } = accountOf(c, accounts)
    c.var.session.view(id)
    dashboard.audit.record({ what: 'viewed', account: id })
    return { to: (await formText(c, 'to')) === 'requests' ? '/requests' : '/' }
  })

  app.get('/operator/accounts/:account/statement.csv', c =>
    statementFile(c, accounts.statement(accountOf(c, accounts).id)),
  )
}

type PartProps = { account: AccountView; dashboard: Dashboard; recharge: Recharge; spend: Spend }

function AccountPage({ account, dashboard, spend, part }: PartProps & { part: Child }) {
  const { id, email, standing, note, spentMicros, limits, debtMicros, disputedMicros } = account
  const isMember = pageContext().var.memberships.some(({ account }) => account.id === id)
  const path = `/operator/accounts/${id}`
  const money = `${path}/money`
  const late = lateOf(dashboard, account)
  const needsMoney = fundsMicros(account) < USED_UP_MICROS && 'credit'
  // A credit would pay the debt.
  const needed = standing?.state === 'suspended' ? 'resume' : debtMicros > 0 ? 'money' : needsMoney
  const kindOf = (name: string) => (name === needed ? 'primary' : undefined)
  const linksOf = (kind?: 'danger') =>
    Object.entries(OFFERS)
      .filter(([, offer]) => isOfferedOn(account, offer) && (offer.isDanger && 'danger') === kind)
      .map(([name, { title }]) => <Link kind={kind ?? kindOf(name)} href={`${path}/${name}`} text={title} />)
  return (
    <Page
      title={email}
      up={['/operator/accounts', 'Accounts']}
      lead={[
        <AccountState {...account} />,
        ' ',
        <code>{id}</code>,
        ', opened ',
        <Time ms={account.createdMs} />,
      ]}
    >
      <Banner text={standingConcern(account)} />
      {late && (
        <Banner text={`It was ${late.text}.`} kind="caution">
          <a href={late.href}>Refund it at Stripe</a>
        </Banner>
      )}
      {note && (
        <p class="caution note">
          <strong>Note of the operators:</strong> {note}
        </p>
      )}
      <Facts
        facts={[
          [
            'Balance',
            <Amount micros={fundsMicros(account)} />,
            standing
              ? `keys are refused ${standing.state === 'closed' ? 'for good' : 'while suspended'}`
              : lastsText(spend, account.balanceMicros),
            disputedMicros > 0 && <a href={money}>after a dispute of {headline(disputedMicros)}</a>,
          ],
          ['Used', <Amount micros={spentMicros} />, `${headline(spend.monthMicros)} this month`],
          ['Queries today', count(spend.todayQueries), `rate limits: ${limitTexts(limits)}`],
        ]}
      />
      <div class="actions">
        {!isMember && <Form action={`${path}/view`} button="View as customer" />}
        {needed === 'money' && pageContext().req.path !== money && (
          <Link kind="primary" href={money} text="See its statement" />
        )}
        {linksOf()}
        <span class="actions end">{linksOf('danger')}</span>
      </div>
      <Tabs tabs={Object.fromEntries(Object.entries(TABS).map(([end, [name]]) => [path + end, name]))} />
      {part}
    </Page>
  )
}

function KeysAndErrors({ account, dashboard }: PartProps) {
  const { accounts, dataPlane } = dashboard
  const { id } = account
  const nowMs = Date.now()
  const operator = `/operator/accounts/${id}`
  const keys = accounts.listKeys(id)
  const counts = refusalRows(dashboard, id, nowMs)
  const month = usageSeries(accounts, id, { ...WEEK, range: '30d' }, nowMs)
  return (
    <>
      <ReasonList
        {...{ account, keys, counts, operator }}
        empty={`No request was refused ${countedText(dataPlane, nowMs)}.`}
      />
      <KeyList {...{ account, keys, dashboard, operator }} empty="This account has no keys." />
      <LatestChanges {...{ dashboard, id }} />
      <Section title="Queries of the last 30 days">
        <Chart title="Queries by day" empty="No charged queries in 30 days." usage={month} />
      </Section>
      <ErrorSection {...{ counts, dataPlane }} />
      <Form action={`${operator}/view`} hidden={{ to: 'requests' }} button="Requests, as the customer" />
    </>
  )
}

function Money({ account, dashboard: { accounts, audit }, recharge: { auto } }: PartProps) {
  const { id } = account
  const statement = accounts.statement(id)
  const plan = auto?.planOf(id)
  const references = new Set(statement.map(({ reference }) => reference))
  const refundText = (row: StatementRow) => {
    const { payment, reference } = row
    if (payment !== '') {
      const link = <a href={stripeUrl(payment)}>{referenceText(payment, true)}</a>
      return ['· payment ', link, references.has(`${reference}:reinstated`) && ' · given back']
    }
    if (!isPayment(row)) return ''
    const taken = takenTexts(statement, row)
    const left = leftMicros(statement, row)
    return [
      taken.map(text => `· ${text} `),
      <span class="hint">
        Receipt {id}-{row.sequence}.{' '}
        {left > 0 && [
          <a href={stripeUrl(reference)}>
            Refund {taken.length > 0 ? `the other ${money(left)}` : 'it'} at Stripe
          </a>,
          `: ${refundEffect(left, account)}`,
        ]}
      </span>,
    ]
  }
  return (
    <>
      {plan?.card && <AutoState plan={plan} />}
      <FailedPayments audit={audit} id={id} />
      <Statement
        rows={statement}
        keys={accounts.listKeys(id)}
        file={`/operator/accounts/${id}/statement.csv`}
        link={refundText}
        isOperator
      />
    </>
  )
}
