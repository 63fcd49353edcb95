/** One account, as an operator sees it. */
import type { AccountView, KeyView, TeamView } from '../../accounts/views.ts'
import type { AuditPage } from '../audit/audit-log.ts'
import { Field } from '../layout/field.tsx'
import { Dollars, Fact, Form, Section, Table, Time } from '../layout/parts.tsx'
import { cents, count, fixedMoney, money, plural } from '../layout/words.ts'
import { KeyState } from '../pages/key-state.tsx'
import { spendOf, total } from '../reports/usage.ts'
import type { Dashboard, PageApp, PageContext } from '../shell/dashboard.ts'
import { addAccountForms } from './account-forms.ts'
import { AccountState, OperatorPage } from './frame.tsx'
import { LogTable } from './log-table.tsx'

/** Older ones are in the log. */
const ENTRIES_SHOWN = 10
/** Of the keys, the newest; an account may have thousands of revoked ones. */
const KEYS_SHOWN = 50

export function addOneAccount(app: PageApp, dashboard: Dashboard): void {
  const { accounts, audit } = dashboard
  const page = async (c: PageContext, account: AccountView) =>
    c.html(<Account {...{ c, account, dashboard }} log={await audit.page(account.id, 1)} />)

  app.get('/operator/accounts/:id', c => {
    const account = accounts.account(c.req.param('id'))
    return account === undefined ? c.notFound() : page(c, account)
  })
  addAccountForms(app, dashboard, page)
}

interface AccountProps {
  c: PageContext
  account: AccountView
  dashboard: Dashboard
  log: AuditPage
}

function Account({ c, account, dashboard, log }: AccountProps) {
  const { accounts } = dashboard
  const spend = spendOf(accounts, account, Date.now())
  const keys = accounts.listKeys(account.id)
  return (
    <OperatorPage c={c} title={account.email}>
      <p>
        <AccountState standing={account.standing} /> <code>{account.id}</code>, opened{' '}
        <Time ms={account.createdMs} />
        {account.standing !== null && (
          <>
            , {account.standing.state} since <Time ms={account.standing.sinceMs} />: {account.standing.reason}
          </>
        )}
      </p>
      <dl class="facts">
        <Fact name="Balance">
          <Dollars micros={account.balanceMicros} />
        </Fact>
        <Fact name="Revenue" hint={`${cents(spend.monthMicros)} this month`}>
          <Dollars micros={account.spentMicros} />
        </Fact>
        <Fact name="Queries today">{count(spend.todayQueries)}</Fact>
        {account.debtMicros > 0 && <Fact name="Owed">{money(account.debtMicros)}</Fact>}
      </dl>
      <Money c={c} path={`/operator/accounts/${account.id}`} />
      <Standing c={c} account={account} path={`/operator/accounts/${account.id}`} />
      <Members team={accounts.teams.of(account.id)} />
      <Keys c={c} keys={keys} path={`/operator/accounts/${account.id}`} />
      <section class="log">
        <div class="heading">
          <h2>Log</h2>
          <a class="button" href={`/operator/log?account=${account.id}`}>
            All {count(log.matches)}
          </a>
        </div>
        <LogTable entries={log.entries.slice(0, ENTRIES_SHOWN)} isOperator />
      </section>
    </OperatorPage>
  )
}

interface PartProps {
  c: PageContext
  /** Address of the account. */
  path: string
}

function Money({ c, path }: PartProps) {
  return (
    <Section
      title="Money"
      hint="The same reference is entered once, so sending a form again is safe. A refund beyond the balance becomes a debt."
    >
      {(['credit', 'refund'] as const).map(verb => {
        const action = `${path}/${verb}`
        return (
          <Form c={c} action={action} class="row">
            <Field
              {...{ c, action, name: 'usd', label: 'US dollars', inputmode: 'decimal', required: true }}
            />
            <Field
              {...{ c, action, name: 'reference', label: 'Reference', maxlength: 128, required: true }}
            />
            <Field {...{ c, action, name: 'note', label: 'Note', maxlength: 256 }} />
            <button type="submit">{verb === 'credit' ? 'Credit' : 'Refund'}</button>
          </Form>
        )
      })}
    </Section>
  )
}

function Standing({ c, path, account }: PartProps & { account: AccountView }) {
  const { standing, email, balanceMicros } = account
  if (standing?.state === 'closed') return null
  const verb = standing === null ? 'suspend' : 'resume'
  const action = `${path}/${verb}`
  const close = `${path}/close`
  const reason = { name: 'reason', label: 'Reason, which the owner reads', maxlength: 256, required: true }
  return (
    <Section
      title={standing === null ? 'Suspend' : 'Resume'}
      hint="The keys of a suspended account get 401 from the next request on. Its owner still reads its pages."
    >
      <Form c={c} action={action} class="row">
        <Field {...{ c, action, ...reason }} />
        <button type="submit">{standing === null ? 'Suspend' : 'Resume'}</button>
      </Form>
      <details open={c.var.refused?.action === close}>
        <summary>Close this account</summary>
        <p class="muted">
          Final. The balance of {money(balanceMicros)} is taken; to pay it back, refund it before.
        </p>
        <Form c={c} action={close} class="row">
          <Field {...{ c, action: close, ...reason }} />
          <Field {...{ c, action: close, name: 'email', label: `Type ${email}`, required: true }} />
          <button type="submit" class="danger">
            Close for good
          </button>
        </Form>
      </details>
    </Section>
  )
}

/** Who may act for the account. Owners change it; for an operator there is `postrie account members`. */
function Members({ team: { members, invitations } }: { team: TeamView }) {
  return (
    <Section
      title="Members"
      hint={
        invitations.length === 0 ? undefined : `${plural(invitations.length, 'invitation')} not accepted yet.`
      }
    >
      {members.length === 0 ? (
        <p class="empty">Nobody has signed in to this account yet.</p>
      ) : (
        <dl class="pairs">
          {members.map(({ email, role }) => (
            <>
              <dt>{role}</dt>
              <dd>{email}</dd>
            </>
          ))}
        </dl>
      )}
    </Section>
  )
}

function Keys({ c, path, keys }: PartProps & { keys: readonly KeyView[] }) {
  if (keys.length === 0) {
    return (
      <Section title="Keys">
        <p class="empty">This account has no keys.</p>
      </Section>
    )
  }
  return (
    <section>
      <div class="heading">
        <h2>Keys</h2>
      </div>
      <Table caption="Keys" heads={['Key', 'State', '>Queries', '>Revenue', 'Last used', '']}>
        {keys
          .slice(-KEYS_SHOWN)
          .reverse()
          .map(key => (
            <tr>
              <th scope="row">
                <span class="label" title={key.label}>
                  {key.label || 'unnamed'}
                </span>
                <code class="under">{key.start}…</code>
              </th>
              <td>
                <KeyState view={key} />
              </td>
              <td class="number">{count(total(key.queries))}</td>
              <td class="number">{fixedMoney(key.spentMicros)}</td>
              <td>
                <Time ms={key.lastUsedMs} />
              </td>
              <td>
                {key.revokedMs === null && (
                  <Form c={c} action={`${path}/keys/${key.id}/revoke`}>
                    <button type="submit" class="link" aria-label={`Revoke ${key.label || key.start}`}>
                      Revoke
                    </button>
                  </Form>
                )}
              </td>
            </tr>
          ))}
      </Table>
      {keys.length > KEYS_SHOWN && (
        <p class="muted">
          The newest {count(KEYS_SHOWN)} of {count(keys.length)} keys.
        </p>
      )}
    </section>
  )
}
