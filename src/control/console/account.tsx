/** One account, as an operator sees it, and a page for each command of the table that is offered here. */
import { HTTPException } from 'hono/http-exception'
import type { z } from 'zod'
import type { AccountView, KeyView, TeamView } from '../../accounts/views.ts'
import { CREDIT_MAX_MICROS, EMAIL_LENGTH_MAX } from '../../limits.ts'
import type { AuditPage } from '../audit/audit-log.ts'
import type { Dashboard, PageApp, PageContext } from '../dashboard.ts'
import { Chart } from '../layout/chart.tsx'
import {
  Ask,
  addStep,
  dollarsField,
  Field,
  type FieldKind,
  FieldProblem,
  type Fields,
  FieldsForm,
  submit,
  textField,
} from '../layout/form.tsx'
import { List, whole } from '../layout/list.tsx'
import { Page } from '../layout/page.tsx'
import { Dollars, Fact, Link, Pairs, Section, Time } from '../layout/parts.tsx'
import type { Command } from '../operator/command.ts'
import { COMMANDS } from '../operator/commands.ts'
import type { Written } from '../operator/params.ts'
import { Statement, statementFile } from '../pages/balance.tsx'
import { KeyNamed, KeyState, revokeStep } from '../pages/key-page.tsx'
import { ErrorSection, requestColumns } from '../pages/requests.tsx'
import { errorRows, requestRows } from '../reports/activity.ts'
import { spendOf, total } from '../reports/figures.ts'
import { referenceText } from '../reports/statement.ts'
import { usageSeries, WEEK } from '../reports/usage-series.ts'
import { readForm } from '../session/forms.ts'
import {
  cents,
  count,
  fixedMoney,
  keyName,
  limitTexts,
  money,
  namesOf,
  plural,
  typedDollars,
} from '../words.ts'
import { AccountState } from './accounts.tsx'
import { logColumns } from './log-page.tsx'

/** Rows of the lists on the page of an account, the newest. */
const ROWS_SHOWN = 10
/** Keys on the page of an account, the newest; there may be thousands of revoked ones. */
const KEYS_SHOWN = 50
/** From this amount on, it is typed twice. */
const LARGE_MICROS = 1_000_000_000

const AGAIN = {
  again: dollarsField('The amount once more', {
    min: 1,
    max: CREDIT_MAX_MICROS,
    problem: 'Type the same amount again.',
  }),
}

/** A command with a page of its own. `key` is there on the pages of a key. */
interface Offer {
  title: string
  command: (typeof COMMANDS)[number]['name']
  /** 1: adds the amount to the balance; -1: takes it. A second page then shows the balance before and after. */
  sign?: 1 | -1
  more?: Fields
  values?: (account: AccountView, key?: KeyView) => Params | null
  hint: (account: AccountView) => string
  isDanger?: true
  isOffered(account: AccountView): boolean
  notice(result: Params): string
}

type Params = Readonly<Record<string, unknown>>

const isOpen = ({ standing }: AccountView) => standing?.state !== 'closed'
const credited = (done: string) => (result: Params) =>
  result.applied === true
    ? `${done}. The balance is ${money(Math.round((Number(result.balance) - Number(result.debt ?? 0)) * 1e6))}.`
    : 'Nothing was changed: this reference had been entered before.'

/** Offers by the end of their addresses; `:key` stands for a key of the account. */
const OFFERS: Readonly<Record<string, Offer>> = {
  credit: {
    title: 'Credit',
    command: 'account.credit',
    sign: 1,
    hint: ({ balanceMicros, debtMicros }) =>
      `Adds to the balance of ${money(balanceMicros - debtMicros)}. The same reference is entered once.`,
    isOffered: isOpen,
    notice: credited('Credited'),
  },
  refund: {
    title: 'Refund',
    command: 'account.refund',
    sign: -1,
    hint: ({ balanceMicros }) =>
      `Takes money that you have refunded out of the balance of ${money(balanceMicros)}. The part it lacks becomes a debt.`,
    isOffered: isOpen,
    notice: credited('Taken back'),
  },
  limits: {
    title: 'Rate limits',
    command: 'account.limits',
    values: ({ limits }) => limits,
    hint: () => 'Requests beyond a limit get 429. An empty field is no limit.',
    isOffered: isOpen,
    notice: () => 'Saved. They hold from the next request.',
  },
  'keys/:key/cap': {
    title: 'Monthly cap of a key',
    command: 'key.cap',
    values: (_, key) => ({ usd: key?.capMicros }),
    hint: () => 'The most that this key may spend in a calendar month (UTC). Empty: no cap.',
    isOffered: isOpen,
    notice: () => 'The cap is saved.',
  },
  suspend: {
    title: 'Suspend',
    command: 'account.suspend',
    hint: ({ activeKeys }) =>
      `Its keys (${count(activeKeys)}) get 401 from the next request on. The owner still reads all pages, with your reason.`,
    isOffered: ({ standing }) => standing === null,
    notice: () => 'Suspended. Its keys are refused from now on.',
  },
  resume: {
    title: 'Resume',
    command: 'account.resume',
    hint: () => 'Its keys are answered again.',
    isOffered: ({ standing }) => standing?.state === 'suspended',
    notice: () => 'Resumed. Its keys are answered again.',
  },
  close: {
    title: 'Close for good',
    command: 'account.close',
    more: {
      email: textField('Email address of the account', { maxlength: EMAIL_LENGTH_MAX, required: true }),
    },
    hint: ({ balanceMicros }) =>
      `Final. The balance of ${money(balanceMicros)} is taken; to pay it back, refund it before.`,
    isDanger: true,
    isOffered: isOpen,
    notice: () => 'Closed. Its keys are refused for good.',
  },
}

/** Checks what the page asks for besides the parameters. @throws FieldProblem */
function confirm(c: PageContext, { id, email }: AccountView, offer: Offer, typed: Params): void {
  if (offer.sign !== undefined && typed.again !== typedDollars(String(typed.usd)))
    throw new FieldProblem('Type the same amount again.', 'again')
  // Whoever suspends or closes their own account would lose these pages with it.
  if (id === c.var.person.id && typed.reason !== undefined)
    throw new FieldProblem('This is your own account.', 'reason')
  if (offer.more?.email !== undefined && typed.email !== email)
    throw new FieldProblem(`Type ${email} to close this account.`, 'email')
}

/** Returns the fields of a page: the parameters of its command without the account, and what it asks for besides. */
function fieldsOf({ command, more }: Offer): Fields {
  const { shape } = commandOf(command).params
  const named = Object.entries(shape).filter(([name]) => !['account', 'key', 'off'].includes(name))
  return { ...Object.fromEntries(named.map(([name, schema]) => [name, paramField(name, schema)])), ...more }
}

function commandOf(name: Offer['command']): Command {
  return COMMANDS.find(command => command.name === name) as unknown as Command
}

const LABELS: Readonly<Record<string, string>> = {
  usd: 'US dollars',
  reference: 'Reference',
  reason: 'Reason, which the owner reads',
  perMinute: 'Queries per minute',
  perHour: 'Queries per hour',
  perDay: 'Queries per day',
}

/** An empty field leaves out what may be left out, or lifts it. */
function paramField(name: string, schema: z.ZodType): FieldKind<unknown> {
  const { description, preset, lifts }: Written = schema.meta() ?? {}
  const required = !schema.safeParse(undefined).success
  const field = textField(LABELS[name] ?? description ?? name, {
    required,
    placeholder: preset?.toString(),
    inputmode: name === 'usd' ? 'decimal' : undefined,
    refusals: name === 'reference' ? ['REFERENCE_CONFLICT', 'INVALID_REFERENCE'] : undefined,
  })
  const meant = (typed: string) => {
    if (typed === '' && !required) return lifts ? null : undefined
    const micros = name === 'usd' ? typedDollars(typed) : null
    if (micros !== null) return (micros / 1e6).toFixed(6)
    return lifts ? Number(typed.replaceAll(',', '')) : typed
  }
  return {
    ...field,
    show: value => (value == null ? '' : String(name === 'usd' ? Number(value) / 1e6 : value)),
    read: ([typed = '']) => {
      const value = meant(typed)
      const [issue] = schema.safeParse(value).error?.issues ?? []
      if (issue !== undefined) throw new FieldProblem(`It ${issue.message}.`)
      return value
    },
  }
}

export function addOneAccount(app: PageApp, dashboard: Dashboard): void {
  const { accounts, audit } = dashboard
  const accountOf = (c: PageContext): AccountView => {
    const account = accounts.account(c.req.param('id') ?? '')
    if (account === undefined) throw new HTTPException(404)
    return account
  }
  const keyOf = (c: PageContext): KeyView => {
    const key = accounts.key(c.req.param('key') ?? '')
    if (key?.account !== accountOf(c).id) throw new HTTPException(404)
    return key
  }
  const pathOf = (c: PageContext) => `/operator/accounts/${c.req.param('id')}`

  app.get('/operator/accounts/:id', async c => {
    const account = accountOf(c)
    return c.html(accountPage(c, account, dashboard, await audit.page(account.id, 1)))
  })

  app.get('/operator/accounts/:id/statement.csv', c => statementFile(c, accounts.statement(accountOf(c).id)))

  for (const [name, offer] of Object.entries(OFFERS)) {
    const fields = fieldsOf(offer)
    const path = `/operator/accounts/:id/${name}`
    const isOfKey = name.includes(':key')

    // The account may have changed since its page was opened.
    app.use(path, async (c, next) => (offer.isOffered(accountOf(c)) ? next() : c.redirect(pathOf(c), 303)))

    app.get(path, c => {
      const wrong = Object.keys(c.get('refused')?.problems ?? {}).filter(name => name !== 'again')
      const isAsked = offer.sign !== undefined && typedDollars(c.req.query('usd') ?? '') !== null
      if (isAsked && wrong.length === 0) return c.html(<Preview c={c} account={accountOf(c)} offer={offer} />)
      return c.html(offerPage(c, accountOf(c), offer, fields, isOfKey ? keyOf(c) : undefined))
    })

    app.post(path, async c => {
      const account = accountOf(c)
      const { csrf: _, again, ...shown } = Object.fromEntries(await readForm(c))
      const preview = (typed: Record<string, string>) => `${c.req.path}?${new URLSearchParams(typed)}`
      const isSeen = offer.sign !== undefined && again !== undefined
      const asked = isSeen ? { ...fields, ...AGAIN } : fields
      return submit(c, isSeen ? preview(shown) : c.req.path, asked, async typed => {
        if (offer.sign !== undefined && !isSeen) return { to: preview(typed) }
        confirm(c, account, offer, typed)
        const command = commandOf(offer.command)
        const { shape } = command.params
        const given = Object.entries(typed).filter(([name]) => name in shape)
        const isOff = given.every(([, value]) => value === undefined)
        const params = {
          ...Object.fromEntries(given),
          ...(isOfKey ? { key: keyOf(c).id } : { account: account.id }),
          ...(isOff && 'off' in shape ? { off: true } : {}),
        }
        const result = await command.run(accounts, command.params.parse(params))
        return { notice: offer.notice(result as Params), to: pathOf(c) }
      })
    })
  }

  addStep(
    app,
    '/operator/accounts/:id/keys/:key/revoke',
    pathOf,
    c => revokeStep(keyOf(c), accountOf(c).email),
    async c => {
      await accounts.revokeKey(keyOf(c).id)
      return 'The key is revoked. Requests with it are refused from now on.'
    },
  )
}

/** Says what an amount does to the balance, before it is done. */
function Preview({ c, account, offer }: { c: PageContext; account: AccountView; offer: Offer }) {
  const { id, email, balanceMicros, debtMicros } = account
  const { title, sign = 1 } = offer
  const { usd = '', reference = '' } = c.req.query()
  const micros = typedDollars(usd) ?? 0
  const afterMicros = balanceMicros - debtMicros + sign * micros
  const isLarge = micros >= LARGE_MICROS
  return (
    <Ask
      c={c}
      title={`${title} ${money(micros)}: ${email}?`}
      text={
        <Pairs
          rows={[
            ['Balance now', money(balanceMicros - debtMicros)],
            [title, `${sign > 0 ? '+' : '−'}${money(micros)}`],
            ['Balance after', <strong>{money(afterMicros)}</strong>],
            ['Owed after', afterMicros < 0 ? money(-afterMicros) : ''],
            ['Reference', reference],
          ]}
        />
      }
      hidden={isLarge ? { usd, reference } : { usd, reference, again: usd }}
      button={title}
      back={`/operator/accounts/${id}`}
    >
      {isLarge && <Field c={c} action={c.req.path} name="again" kind={AGAIN.again} />}
    </Ask>
  )
}

function offerPage(c: PageContext, account: AccountView, offer: Offer, fields: Fields, key?: KeyView) {
  const { title, hint, isDanger, values, sign } = offer
  return (
    <Page
      c={c}
      title={`${title}: ${account.email}`}
      lead={`${key ? `${keyName(key)}. ` : ''}${hint(account)}`}
    >
      <section class="card">
        <FieldsForm
          c={c}
          action={c.req.path}
          class="stack"
          fields={fields}
          values={values?.(account, key) ?? {}}
          button={sign !== undefined ? 'Continue' : values === undefined ? title : 'Save'}
          kind={isDanger ? 'danger' : 'primary'}
        />
        <a href={`/operator/accounts/${account.id}`}>Cancel</a>
      </section>
    </Page>
  )
}

function accountPage(c: PageContext, account: AccountView, dashboard: Dashboard, log: AuditPage) {
  const { accounts, dataPlane } = dashboard
  const { id, email, standing, balanceMicros, debtMicros, spentMicros, limits } = account
  const nowMs = Date.now()
  const spend = spendOf(accounts, account, nowMs)
  const keys = accounts.listKeys(id)
  const requests = requestRows(accounts, dataPlane, id)
  const refused = requests.filter(({ status }) => status !== 200)
  const month = usageSeries(accounts, id, { ...WEEK, range: '30d' }, nowMs)
  const path = `/operator/accounts/${id}`
  const statement = accounts
    .statement(id)
    .map(row => ({ ...row, reference: referenceText(row.reference, true) }))
  const payments = statement.filter(({ key }) => key === null)
  return (
    <Page c={c} title={email} lead={<a href="/operator/accounts">← All accounts</a>}>
      <p>
        <AccountState {...account} /> <code>{id}</code>, opened <Time ms={account.createdMs} />
        {standing !== null && (
          <>
            , {standing.state} since <Time ms={standing.sinceMs} />: {standing.reason}
          </>
        )}
      </p>
      <dl class="facts">
        <Fact name="Balance" hint={debtMicros > 0 && `${money(debtMicros)} are owed`}>
          <Dollars micros={balanceMicros - debtMicros} />
        </Fact>
        <Fact name="Revenue" hint={`${cents(spend.monthMicros)} this month`}>
          <Dollars micros={spentMicros} />
        </Fact>
        <Fact name="Queries today" hint={`rate limits: ${limitTexts(limits)}`}>
          {count(spend.todayQueries)}
        </Fact>
      </dl>
      <div class="actions">
        {Object.entries(OFFERS)
          .filter(([name, { isOffered }]) => !name.includes(':key') && isOffered(account))
          .map(([name, { title, isDanger }]) => (
            <Link kind={isDanger && 'danger'} href={`${path}/${name}`} text={title} />
          ))}
      </div>
      <Section title="Queries of the last 30 days">
        <Chart label="Queries by day" usage={month} />
      </Section>
      <Keys c={c} keys={keys} path={path} />
      <ErrorSection hours={errorRows(accounts, dataPlane, id, nowMs)} whose="those of this account" />
      <List
        c={c}
        class="log"
        title="Latest refused requests"
        caption="Latest refused requests"
        found={whole(refused.slice(0, ROWS_SHOWN), refused.length)}
        noun={['refused request']}
        empty={`None of the last ${plural(requests.length, 'request')} was refused.`}
        columns={[
          ...requestColumns(({ keyId }) => namesOf(keys).get(keyId)),
          { head: 'Reason', kind: 'detail', cell: ({ error }) => error },
        ]}
      />
      <Statement c={c} title="Payments, credits and refunds" rows={payments} keys={keys} />
      <Statement c={c} rows={statement} keys={keys} file={`${path}/statement.csv`} />
      <Members team={accounts.teams.of(id)} />
      <List
        c={c}
        class="log"
        title="Log"
        caption="Log"
        columns={logColumns(accounts, true)}
        found={whole(log.rows.slice(0, ROWS_SHOWN), log.matches)}
        noun={['entry', 'entries']}
        empty="Nothing has been recorded yet."
      />
      {log.matches > ROWS_SHOWN && <a href={`/operator/log?q=${id}`}>All {count(log.matches)} entries</a>}
    </Page>
  )
}

/** Members of the account. Owners change them; an operator uses `postrie account members`. */
function Members({ team: { members, invitations } }: { team: TeamView }) {
  const waiting = `${plural(invitations.length, 'invitation')} not accepted yet.`
  return (
    <Section title="Members" hint={invitations.length === 0 ? undefined : waiting}>
      {members.length === 0 ? (
        <p class="empty">Nobody has signed in to this account yet.</p>
      ) : (
        <Pairs rows={members.map(({ email, role }) => [role, email])} />
      )}
    </Section>
  )
}

function Keys({ c, path, keys }: { c: PageContext; path: string; keys: readonly KeyView[] }) {
  const link = ({ id, label, start }: KeyView, step: string, text: string) => (
    <a href={`${path}/keys/${id}/${step}`} aria-label={`${text} ${label || start}`}>
      {text}
    </a>
  )
  const cap = ({ capMicros }: KeyView) => (capMicros === null ? 'none' : money(capMicros))
  return (
    <List
      c={c}
      title="Keys"
      caption="Keys"
      found={whole(keys.toReversed().slice(0, KEYS_SHOWN), keys.length)}
      noun={['key']}
      empty="This account has no keys."
      columns={[
        { head: 'Key', kind: 'name', cell: ({ label, start }) => <KeyNamed {...{ label, start }} /> },
        { head: 'State', cell: view => <KeyState view={view} /> },
        { head: 'Queries', kind: 'number', cell: ({ queries }) => count(total(queries)) },
        { head: 'Revenue', kind: 'number', cell: ({ spentMicros }) => fixedMoney(spentMicros) },
        { head: 'Monthly cap', kind: 'number', cell: cap },
        { head: 'Last used', cell: ({ lastUsedMs }) => <Time ms={lastUsedMs} /> },
        { head: '', cell: key => key.revokedMs === null && link(key, 'cap', 'Change the cap') },
        { head: '', cell: key => key.revokedMs === null && link(key, 'revoke', 'Revoke') },
      ]}
    />
  )
}
