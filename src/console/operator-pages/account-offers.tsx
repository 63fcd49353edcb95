/** The operator's commands about one account and its keys: a form for each, and for money a preview. */

import { HTTPException } from 'hono/http-exception'
import type { Accounts } from '../../billing/accounts/accounts.ts'
import { amountMicros, refundableOf } from '../../billing/accounts/reports/refundable.ts'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { EMAIL_LENGTH_MAX } from '../../billing/limits.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import type { Fields, FormProps } from '../layout/form.tsx'
import { Confirmation, FieldProblem, keptMoment, submit } from '../layout/form.tsx'
import { Pairs } from '../layout/parts.tsx'
import type { Command } from '../operator/command.ts'
import { COMMANDS } from '../operator/commands.ts'
import { optionalText, text } from '../operator/params.ts'
import { limitWarning, RULE_REFUSALS } from '../reports/figures.ts'
import { spendOf } from '../reports/spend.ts'
import { checkRefund, referenceProblem, stripeUrl } from '../reports/statement.ts'
import { rollKey } from '../sections/fresh-key.tsx'
import { limitHints } from '../sections/limit-hints.tsx'
import { readForm } from '../session/forms.ts'
import type { Dashboard, PageApp, PageContext } from '../session/page-context.ts'
import {
  fullKeyName,
  keyName,
  keyState,
  limitTexts,
  money,
  plural,
  quotedName,
  ruleTexts,
  typedDollars,
  utcMinute,
} from '../words.ts'

const NO_MONEY = 'No money moves here. This records a refund that you made elsewhere.'

/** Smallest amount that must be typed twice. */
const LARGE_MICROS = 1_000_000_000
const AGAIN = { again: optionalText({ label: 'Type the amount again', inputmode: 'decimal' }) }

interface Offer {
  title: string
  /** Default: the title and the subject, the account or the key. @param amount `''` if not known yet */
  heading?: (subject: string, amount: string) => string
  command: (typeof COMMANDS)[number]['name']
  /** Parameters of the command that are no fields. */
  given?: Params
  /** 1 to add the amount to the balance, -1 to deduct it. A second page then shows the balance before and after. */
  sign?: 1 | -1
  more?: Fields
  check?: typeof checkRefund
  /** End of the path of the tab with the effect. Links to the form may name values. */
  tab?: '/money' | '/people'
  values?: (account: AccountView, key?: KeyView) => Params | null
  hints?: (account: AccountView, accounts: Accounts) => FormProps<Fields>['hints']
  hint: (account: AccountView, key?: KeyView) => string
  isDanger?: true
  /** Default: `isOpen`. An offer on a key also needs a key that is not revoked. */
  isOffered?(account: AccountView, key?: KeyView): boolean
  /** Does more than the command does. Its notice comes from here. */
  run?(c: PageContext, accounts: Accounts, key: KeyView, typed: Params): ReturnType<typeof rollKey>
  /** The name of the key comes before it. @param after the account after the command @param key after the command */
  notice(result: Params, after: AccountView, key?: KeyView): string
}

type Params = Readonly<Record<string, unknown>>

export const isOpen = ({ standing }: AccountView) => standing?.state !== 'closed'
export const fundsMicros = ({ balanceMicros, debtMicros }: AccountView) => balanceMicros - debtMicros
const fundsText = (account: AccountView) => money(fundsMicros(account))
const noticeOf = (done: string) => (result: Params, after: AccountView) =>
  result.applied === true
    ? `${done}. The balance is ${fundsText(after)}.`
    : 'Nothing was changed: this reference has been used before.'

/** Offers by the end of their paths. `:key` is the id of a key of the account. */
export const OFFERS: Readonly<Record<string, Offer>> = {
  credit: {
    title: 'Credit',
    heading: (email, amount) => `Credit ${amount && `${amount} to `}${email}`,
    command: 'account.credit',
    sign: 1,
    tab: '/money',
    hint: account => `Adds to the balance of ${fundsText(account)}.`,
    notice: noticeOf('Credited'),
  },
  refund: {
    title: 'Record a refund',
    heading: (email, amount) => `Record a refund ${amount && `of ${amount} `}to ${email}`,
    command: 'account.refund',
    sign: -1,
    check: checkRefund,
    tab: '/money',
    hint: account =>
      `${NO_MONEY} It is deducted from the balance of ${fundsText(account)}. What exceeds it is owed.`,
    hints: () => ({
      reference: 'The number of your own transfer, which can be used once.',
      note: 'Name the credit here by its reference: its line then shows what was refunded.',
    }),
    notice: noticeOf('Refund recorded'),
  },
  limits: {
    title: 'Rate limits',
    heading: email => `Rate limits of ${email}`,
    command: 'account.limits',
    values: ({ limits }) => limits,
    hints: (account, accounts) => limitHints(account, accounts.currentQueries(account.id)),
    hint: () =>
      'Requests beyond a limit get 429. A bulk request counts once per record. Counting begins when limits are turned on.',
    notice: (_, { limits }) =>
      `Rate limits from the next request: ${limitTexts(limits)}. ${limitWarning(limits)}`,
  },
  note: {
    title: 'Note',
    heading: email => `Note on ${email}`,
    command: 'account.note',
    values: ({ note }) => ({ note }),
    hint: () => 'It is shown at the top of the page of this account. The audit log has every version.',
    isOffered: () => true,
    notice: () => 'The note is saved.',
  },
  'keys/:key/off': {
    title: 'Switch off',
    command: 'key.switch',
    given: { to: 'off' },
    hint: () => 'Every request with it will get 401. It can be switched on again, by its owner too.',
    isOffered: (account, key) => isOpen(account) && key?.offMs === null,
    notice: () => 'off. Its requests are refused.',
  },
  'keys/:key/on': {
    title: 'Switch on',
    command: 'key.switch',
    given: { to: 'on' },
    hint: () => 'Its requests will be answered again.',
    isOffered: (account, key) => isOpen(account) && typeof key?.offMs === 'number',
    notice: () => 'on.',
  },
  'keys/:key/cap': {
    title: 'Cap',
    heading: key => `Monthly cap of ${key}`,
    command: 'key.cap',
    values: (_, key) => ({ usd: key?.capMicros }),
    hint: () => 'Maximum spending in a calendar month (UTC). Further requests get 402.',
    notice: (_, __, key) =>
      key?.capMicros == null
        ? 'no monthly cap.'
        : `at most ${money(key.capMicros)} a month.${key.isCapped ? ' That is spent: its requests get 402.' : ''}`,
  },
  'keys/:key/rules': {
    title: 'Rules',
    heading: key => `Rules of ${key}`,
    command: 'key.rules',
    values: (_, key) => ({ ...key?.rules, ...key?.rules.limits, expires: key?.rules.expiresMs }),
    hint: () => `They apply from the next request on. ${RULE_REFUSALS}`,
    notice: (_, __, key) =>
      key === undefined ? '' : `rules: ${ruleTexts(key.rules)}. ${limitWarning(key.rules.limits)}`,
  },
  'keys/:key/roll': {
    title: 'Roll',
    command: 'key.roll',
    given: { endOverlap: false },
    run: (c, accounts, { id }, { overlap }) => rollKey(c, accounts, id, overlap as number, pathOf(c)),
    hint: (_, key) =>
      `The key gets a new secret, which is shown once: pass it to the owner.${key?.earlier ? ` ${key.earlier.start}… will be refused.` : ''}`,
    notice: () => '',
  },
  'keys/:key/end-overlap': {
    title: 'End the overlap',
    heading: key => `End the overlap of ${key}`,
    command: 'key.roll',
    given: { endOverlap: true, overlap: undefined },
    hint: (_, key) =>
      `Requests with the earlier secret ${key?.earlier?.start}… will get 401 Invalid API key.`,
    isDanger: true,
    isOffered: (account, key) => isOpen(account) && key?.earlier != null,
    notice: () => 'only the present secret works from now on.',
  },
  'keys/:key/revoke': {
    title: 'Revoke',
    command: 'key.revoke',
    hint: (_, key) =>
      `Requests with this key${key?.earlier ? `, and with its earlier secret ${key.earlier.start}…,` : ''} will get 401 Invalid API key. This cannot be undone.`,
    isDanger: true,
    notice: () => 'revoked. Requests with it are refused from now on.',
  },
  'people/add': {
    title: 'Add or change',
    heading: email => `Add a member to ${email}, or change a role`,
    command: 'member.add',
    tab: '/people',
    hint: () => 'Owners open everything, developers keys and usage, billing members money and receipts.',
    notice: () => 'Saved: each role is below.',
  },
  'people/remove': {
    title: 'Remove the member',
    heading: email => `Remove a member from ${email}`,
    command: 'member.remove',
    tab: '/people',
    hint: () => 'They can no longer open its pages. Keys that they know still work: revoke them.',
    isDanger: true,
    notice: () => 'The member is removed. Keys that they know still work: revoke them.',
  },
  suspend: {
    title: 'Suspend',
    command: 'account.suspend',
    hint: () =>
      'Every key gets 401 from the next request on. The owner can still read every page, and sees your reason.',
    isDanger: true,
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
    heading: email => `Close ${email} for good`,
    command: 'account.close',
    more: { email: text({ label: 'Email address of the account', lengthMax: EMAIL_LENGTH_MAX }) },
    hint: ({ balanceMicros, debtMicros }) =>
      debtMicros > 0
        ? `This is final. ${money(debtMicros)} is owed and will stay owed: a closed account cannot be credited.`
        : `This is final. The balance of ${money(balanceMicros)} is forfeited. To pay it back, refund it first.`,
    isDanger: true,
    notice: ({ taken }) =>
      `Closed. Its keys are refused for good, and ${money(Math.round(Number(taken) * 1_000_000))} was forfeited.`,
  },
}

/** True for an amount that must be typed twice. @param stake what it exceeds */
const isTypedTwice = (micros: number, stake: string) => stake !== '' || micros >= LARGE_MICROS

/** Checks the confirmations of a form. @throws FieldProblem */
function confirm(c: PageContext, { id, email }: AccountView, offer: Offer, typed: Params, stake: string) {
  const { usd, again = isTypedTwice(Number(usd), stake) ? '' : undefined } = typed
  if (offer.sign !== undefined && again !== undefined && typedDollars(String(again)) !== usd)
    throw new FieldProblem('Type the same amount again.', 'again')
  // Operators who suspend or close their own account would lose these pages.
  if (id === c.var.person.id && typed.reason !== undefined)
    throw new FieldProblem('This is your own account.', 'reason')
  if (offer.more?.email !== undefined && typed.email !== email)
    throw new FieldProblem(`Type ${email} to close this account.`, 'email')
}

/** Returns the fields of a page: the parameters of its command that are not given, and confirmations. */
function fieldsOf({ command, given = {}, more }: Offer): Fields {
  const all = Object.entries(commandOf(command).params.shape)
  const isField = (name: string) => !['account', 'key', 'confirm'].includes(name) && !(name in given)
  return { ...Object.fromEntries(all.filter(([name]) => isField(name))), ...more }
}

/** True if an offer can be taken: on a key for a path with a key, otherwise on the account. */
export function isOfferedOn(name: string, account: AccountView, key?: KeyView): boolean {
  const isOfKey = name.includes(':key')
  if (isOfKey !== (key !== undefined) || (key?.revokedMs ?? null) !== null) return false
  return (OFFERS[name].isOffered ?? isOpen)(account, key)
}

function commandOf(name: Offer['command']): Command {
  return COMMANDS.find(command => command.name === name) as unknown as Command
}

export function accountOf(c: PageContext, accounts: Accounts): AccountView {
  const account = accounts.account(c.req.param('id') ?? '')
  if (account === undefined) throw new HTTPException(404)
  return account
}

export function keyOf(c: PageContext, accounts: Accounts): KeyView {
  const key = accounts.key(c.req.param('key') ?? '')
  if (key?.account !== accountOf(c, accounts).id) throw new HTTPException(404)
  return key
}

export const pathOf = (c: PageContext): string => `/operator/accounts/${c.req.param('id')}`

export function addOffers(app: PageApp, { accounts }: Dashboard): void {
  for (const [name, offer] of Object.entries(OFFERS)) {
    const fields = fieldsOf(offer)
    const path = `/operator/accounts/:id/${name}`
    const keyIn = (c: PageContext) => (name.includes(':key') ? keyOf(c, accounts) : undefined)
    const isMoney = offer.sign !== undefined

    // The account may have changed since its page was opened.
    app.use(path, async (c, next) => {
      const account = accountOf(c, accounts)
      const key = keyIn(c)
      if (isOfferedOn(name, account, key)) return next()
      const state = account.standing?.state ?? 'active'
      const isOfKey = key !== undefined && state !== 'closed'
      const why = isOfKey ? `the key is ${keyState(key)}` : `the account is ${state}`
      c.var.session.keep({ caution: `Nothing was changed: ${why}.` })
      return c.redirect(pathOf(c), 303)
    })

    app.get(path, c => {
      const account = accountOf(c, accounts)
      const wrong = Object.keys(c.get('refused')?.problems ?? {}).filter(name => name !== 'again')
      const { usd = '', edit } = c.req.query()
      const isAsked = isMoney && edit === undefined && typedDollars(usd) !== null && wrong.length === 0
      return c.html(
        isAsked ? previewPage(c, accounts, account, offer) : offerPage(c, accounts, offer, keyIn(c)),
      )
    })

    app.post(path, async c => {
      const account = accountOf(c, accounts)
      const entries = Array.from(await readForm(c), ([name, text]) => [name, text.trim()])
      const { csrf: _, again, seen, ...shown } = Object.fromEntries(entries)
      const preview = `${c.req.path}?${new URLSearchParams(shown as Record<string, string>)}`
      const isSeen = isMoney && (again ?? seen) !== undefined
      const asked = isMoney && again !== undefined ? { ...fields, ...AGAIN } : fields
      return submit(c, isSeen ? preview : c.req.path, asked, async (typed: Params) => {
        const reference = String(typed.reference)
        const { refused, stake = '' } = offer.check?.(accounts, account, reference, Number(typed.usd)) ?? {}
        const problem = refused ?? (isMoney && !isSeen ? referenceProblem(accounts, reference) : null)
        // The page may have no form, and then no field.
        if (problem) throw new FieldProblem(problem, refused ? '' : 'reference')
        if (isMoney && !isSeen) return { to: preview }
        confirm(c, account, offer, typed, stake)
        const command = commandOf(offer.command)
        const present = keyIn(c)
        if (present !== undefined && offer.run) return offer.run(c, accounts, present, typed)
        const expires = keptMoment((typed.expires ?? null) as number | null, present?.rules.expiresMs ?? null)
        const subject = { account: account.id, key: present?.id, confirm: true }
        const given = { ...typed, expires, ...offer.given, ...subject }
        const params = Object.fromEntries(
          Object.entries(given).filter(([name]) => name in command.params.shape),
        )
        const result = await command.run(accounts, params, null)
        const to = pathOf(c) + (offer.tab ?? '')
        const key = keyIn(c)
        const done = offer.notice(result as Params, accountOf(c, accounts), key)
        const notice = key === undefined ? done : `${keyName(key)}: ${done}`
        const isSpent = name === 'keys/:key/cap' && key?.isCapped
        return (result as Params).applied === false || isSpent ? { to, caution: notice } : { to, notice }
      })
    })
  }
}

function previewPage(c: PageContext, accounts: Accounts, account: AccountView, offer: Offer) {
  const { title, heading = email => `${title} ${email}`, sign = 1 } = offer
  const { usd = '', reference = '', note = '' } = c.req.query()
  const more = { reference, note }
  const micros = typedDollars(usd) ?? 0
  const afterMicros = fundsMicros(account) + sign * micros
  const { stake = '' } = offer.check?.(accounts, account, reference, micros) ?? {}
  return (
    <Confirmation
      title={`${heading(account.email, money(micros))}?`}
      lead={sign < 0 ? NO_MONEY : undefined}
      text={
        <Pairs
          rows={[
            ['Balance now', fundsText(account)],
            [sign > 0 ? 'Credit' : 'Refund', `${sign > 0 ? '+' : '−'}${money(micros)}`],
            ['Balance after', money(afterMicros)],
            ['Owed after', afterMicros < 0 ? money(-afterMicros) : ''],
            ['Requests after', afterMicros < QUERY_PRICE_MICROS ? 'refused until more is paid' : ''],
            ['Too much', stake && <strong class="wrong">{stake}</strong>],
            ['Reference', reference],
            ['Note', note],
            ['', <a href={`${c.req.path}?edit&${new URLSearchParams({ usd, ...more })}`}>Change</a>],
          ]}
        />
      }
      hidden={{ usd, ...more, seen: '' }}
      fields={isTypedTwice(micros, stake) ? AGAIN : undefined}
      button={title}
      kind={sign > 0 ? 'primary' : 'danger'}
      back={pathOf(c)}
    />
  )
}

function offerPage(c: PageContext, accounts: Accounts, offer: Offer, key?: KeyView) {
  const { title, hint, hints, isDanger, sign, tab = '' } = offer
  const account = accountOf(c, accounts)
  const subject = key === undefined ? account.email : `the key ${quotedName(key)}`
  const { usd = '', ...typed } = c.req.query()
  const values = tab === '' ? offer.values?.(account, key) : { ...typed, usd: typedDollars(usd) }
  const { hereMicros, payments } = refundableOf(accounts.statement(account.id))
  const isAtStripe = sign === -1 && hereMicros === 0 && payments.length > 0
  return (
    <Confirmation
      title={offer.heading?.(subject, '') ?? `${title} ${subject}`}
      up={[pathOf(c), account.email]}
      lead={hint(account, key)}
      text={
        (key && keyText(accounts, account, key)) ||
        (sign === -1 && (
          <p class={hereMicros > 0 ? undefined : 'problem'}>
            Refundable here: {money(hereMicros)}.
            {payments.length > 0 &&
              ' Paid through Stripe: refund it there, and it is deducted here by itself.'}
            {payments.map(row => [' ', <a href={stripeUrl(row)}>Payment of {money(amountMicros(row))}</a>])}
          </p>
        ))
      }
      fields={fieldsOf(offer)}
      values={values ?? {}}
      hints={hints?.(account, accounts)}
      hidden={key && { from: key.start }}
      button={isAtStripe ? '' : sign !== undefined ? 'Continue' : offer.values ? 'Save' : title}
      kind={isDanger ? 'danger' : 'primary'}
      back={pathOf(c) + tab}
    />
  )
}

function keyText(accounts: Accounts, account: AccountView, key: KeyView) {
  const { id, lastUsedMs, monthSpentMicros } = key
  const today = spendOf(accounts, account, Date.now()).todayByKey.get(id) ?? 0
  const last = lastUsedMs === null ? 'never charged' : `last charged ${utcMinute(lastUsedMs)} UTC`
  return (
    <>
      <p>{`${fullKeyName(key)} of ${account.email}.`}</p>
      <p>
        {`${plural(today, 'query', 'queries')} today, ${last}. Spent this month: ${money(monthSpentMicros)}.`}
      </p>
    </>
  )
}
