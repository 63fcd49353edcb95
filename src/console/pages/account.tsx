import { getCookie, setCookie } from 'hono/cookie'
import { addForm, addStep, FieldsForm } from '../layout/form.tsx'
import { List, onePage } from '../layout/list.tsx'
import { Banner, Page, supportLink, THEME_COOKIE } from '../layout/page.tsx'
import { Form, Link, Pairs, Remedy, Section, Time } from '../layout/parts.tsx'
import { choice } from '../operator/params.ts'
import { addLog } from '../sections/log.tsx'
import { formText } from '../session/forms.ts'
import { chooseAccount } from '../session/known-browser.ts'
import type { Dashboard, PageApp } from '../session/page-context.ts'
import { member } from '../words.ts'

const THEMES = { system: 'As the system', light: 'Light', dark: 'Dark' }
const THEME = { theme: choice(['system', 'light', 'dark'], 'system', { label: 'Colours', options: THEMES }) }
const UNVERIFIED =
  'Your identity provider has not confirmed this email address. The account works as usual, but it cannot be found by its address. When you pay the operator, give the number below.'
const YEAR_SECONDS = 365 * 86_400

const BROWSERS = { Edg: 'Edge', OPR: 'Opera', Fx: 'Firefox', Cr: 'Chrome', Version: 'Safari' }

/** Returns `Firefox 140 on Linux`, or the text of an unknown browser. The last name of a text is its own. */
function browserName(agent: string): string {
  const [, name, version] = /^.*(Edg|OPR|Firefox|Fx|Chrome|Cr|Version)\w{0,9}\/(\d+)/.exec(agent) ?? []
  const [system = 'an unknown system'] =
    /Windows|Android|iPhone|iPad|Mac OS X|Linux(?!; Android)/.exec(agent) ?? []
  return name === undefined ? agent : `${BROWSERS[name as 'Edg'] ?? name} ${version} on ${system}`
}

export function addAccountPages(app: PageApp, dashboard: Dashboard): void {
  const { accounts } = dashboard
  app.get('/account', c => {
    const { account, person, role, session, support } = c.var
    const isGuest = account.id !== person.id
    // Only the label of an unverified address has a space.
    const isUnverified = account.email.includes(' ')
    return c.html(
      <Page title="Account" lead={isGuest ? `${account.email}, as ${role}` : account.email}>
        {isUnverified && <Banner text={UNVERIFIED} />}
        <Section
          title="This account"
          hint={`${support && 'To rename or close the account, write to the operator. '}Before closing an account, the operator can refund the balance: afterwards the balance is forfeited.`}
        >
          <Pairs
            rows={[
              ['Number', <code>{account.id}</code>],
              ['Opened', <Time ms={account.createdMs} />],
              ['On receipts', <Remedy href="/receipts#buyer-company" text="Company, tax number, address" />],
              ['Operator', supportLink(support) || 'No contact address has been set.'],
            ]}
          />
        </Section>
        {isGuest && (
          <Section title="Leave this account" hint="To come back, you need an invitation of an owner.">
            <Link kind="danger" href="/account/leave" text="Leave" />
          </Section>
        )}
        <List
          title="Your sessions"
          found={onePage(dashboard.sessions.openOf(person.id))}
          empty=""
          columns={[
            {
              head: 'Browser',
              kind: 'name',
              cell: ({ browser }) => <span title={browser}>{browserName(browser)}</span>,
            },
            { head: 'Address', cell: ({ from }) => from },
            { head: 'Signed in', cell: ({ startedMs }) => <Time ms={startedMs} /> },
            { head: 'Last seen', cell: ({ seenMs }) => <Time ms={seenMs} /> },
            {
              head: '',
              cell: ({ id }) =>
                id === session.id ? (
                  <span class="tag good">this one</span>
                ) : (
                  <Form action="/account/session" hidden={{ id }} button="Sign out" kind="link" />
                ),
            },
          ]}
        />
        <p class="actions">
          <Link kind="danger" href="/sign-out-everywhere" text="Sign out everywhere" />
        </p>
        <Section title="Appearance" hint="For this browser.">
          <FieldsForm
            action="/account/theme"
            fields={THEME}
            values={{ theme: member(THEMES, getCookie(c, THEME_COOKIE)) ?? 'system' }}
            button="Save"
          />
        </Section>
      </Page>,
    )
  })

  addLog(app, dashboard, '/account/log', async c => {
    return { accounts, account: c.var.account.id, isOperator: false, text: '' }
  })

  addForm(app, '/account/session', '/account', {}, async c => {
    const wanted = await formText(c, 'id')
    const open = dashboard.sessions.openOf(c.var.person.id).find(({ id }) => id === wanted)
    if (open === undefined) return 'Nothing was changed: this session has ended.'
    await dashboard.sessions.end(open.id)
    return 'That browser is signed out.'
  })

  addForm(app, '/account/theme', '/account', THEME, async (c, { theme }) => {
    setCookie(c, THEME_COOKIE, theme, { path: '/', sameSite: 'Lax', maxAge: YEAR_SECONDS })
    return {}
  })

  addStep(app, '/account/leave', '/account', {
    ask: ({ var: { account, person } }) =>
      account.id !== person.id && {
        title: `Leave ${account.email}?`,
        text: 'You can no longer act for this account. To come back, you need an invitation of an owner.',
        button: 'Leave',
      },
    run: async ({ var: { account, person } }) => {
      await accounts.teams.change(account.id, person.id, null)
      return { notice: `You are no longer a member of ${account.email}.`, to: '/' }
    },
  })

  app.get('/account/switch', c => c.redirect('/', 303))

  app.post('/account/switch', async c => {
    const wanted = await formText(c, 'account')
    const { account, isViewing, memberships, person } = c.var
    const endsView = isViewing && wanted === person.id
    // Other accounts must look as if they did not exist.
    if (!endsView && memberships.every(({ account }) => account.id !== wanted)) return c.notFound()
    chooseAccount(c, dashboard, wanted)
    return c.redirect(endsView ? `/operator/accounts/${account.id}` : '/', 303)
  })
}
