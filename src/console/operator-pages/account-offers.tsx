/** The operator's commands about one account: a form for each, and for money a preview. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { EMAIL_LENGTH_MAX } from '../../billing/limits.ts'
import { paysForQuery } from '../../billing/money.ts'
import type { Fields, FormProps } from '../layout/form.tsx'
import { Confirmation, FieldProblem, submit } from '../layout/form.tsx'
import { Pairs } from '../layout/parts.tsx'
import type { OperatorCommand } from '../operator/command.ts'
import { COMMANDS } from '../operator/commands.ts'
import { optionalText, text } from '../operator/params.ts'
import { usedTexts } from '../reports/figures.ts'
import { type Refund, referenceProblem, refundProblem, refundTexts } from '../reports/statement.ts'
import { accountOf, operatorPath } from '../session/access.ts'
import { type Done, readForm } from '../session/forms.ts'
import type { Dashboard, PageApp, PageContext } from '../session/page-context.ts'
import { limitTexts, money, typedDollars } from '../words.ts'

const KEYS_WORK = 'Its keys are no longer refused for the suspension.'
const NO_MONEY = 'No money moves here. This records a refund that you made elsewhere, or corrects a credit.'

/** Smallest amount that must be typed twice. */
const LARGE_MICROS = 1_000_000_000
const AGAIN = { again: optionalText({ label: 'Type the amount again', inputmode: 'decimal' }) }

interface Offer {
  title: string
  command: (typeof COMMANDS)[number]['name']
  /** For money, which a second page previews: 1 to add it to the balance, -1 to deduct it. */
  sign?: 1 | -1
  more?: Fields
  check?: typeof refundProblem
  values?: (account: AccountView) => Params | null
  hints?: (account: AccountView, accounts: Accounts) => FormProps<Fields>['hints']
  hint: (account: AccountView) => string
  /** True to show the hint in a red box. */
  isRed?(account: AccountView): boolean
  isDanger?: true
  /** Default: `isOpen`. */
  isOffered?(account: AccountView): boolean
  notice(result: Params, after: AccountView): string
}

type Params = Readonly<Record<string, unknown>>

const isOpen = ({ standing }: AccountView) => standing?.state !== 'closed'
export const fundsMicros = ({ balanceMicros, debtMicros }: AccountView) => balanceMicros - debtMicros
const fundsText = (account: AccountView) => money(fundsMicros(account))
const fundsName = ({ balanceMicros, debtMicros }: AccountView) =>
  debtMicros > 0 ? `the debt of ${money(debtMicros)}` : `the balance of ${money(balanceMicros)}`
const noticeOf = (done: string) => (result: Params, after: AccountView) =>
  result.applied === true
    ? `${done}. The balance is ${fundsText(after)}.`
    : 'Nothing was changed: this reference has been used before.'

/** Offers by the end of their paths. */
export const OFFERS: Readonly<Record<string, Offer>> = {
  credit: {
    title: 'Credit',
    command: 'account.credit',
    sign: 1,
    hint: account => `${account.debtMicros > 0 ? 'Pays' : 'Adds to'} ${fundsName(account)}.`,
    notice: noticeOf('Credited'),
  },
  refund: {
    title: 'Record a refund',
    command: 'account.refund',
    sign: -1,
    check: refundProblem,
    hint: account =>
      `${NO_MONEY} It is ${account.debtMicros > 0 ? 'added to' : 'deducted from'} ${fundsName(account)}.`,
    notice: noticeOf('Refund recorded'),
  },
  limits: {
    title: 'Rate limits',
    command: 'account.limits',
    values: ({ limits }) => limits,
    hints: (account, accounts) =>
      account.limits === null ? {} : usedTexts(account, accounts.currentQueries(account.id)),
    hint: () =>
      'Requests beyond a limit get 429. A bulk request counts once per record. Counting begins when limits are turned on.',
    notice: (_, { limits }) => `Rate limits from the next request: ${limitTexts(limits)}.`,
  },
  note: {
    title: 'Note',
    command: 'account.note',
    values: ({ note }) => ({ note }),
    hint: () => 'It is shown at the top of the page of this account. The audit log has every version.',
    isOffered: () => true,
    notice: () => 'The note is saved.',
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
    hint: account =>
      `${KEYS_WORK}${paysForQuery(account.balanceMicros) ? '' : ' Requests get 402 until more is paid.'}`,
    isOffered: ({ standing }) => standing?.state === 'suspended',
    notice: () => `Resumed. ${KEYS_WORK}`,
  },
  close: {
    title: 'Close for good',
    command: 'account.close',
    more: { email: text({ label: 'Email address of the account', lengthMax: EMAIL_LENGTH_MAX }) },
    hint: ({ balanceMicros, debtMicros }) =>
      debtMicros > 0
        ? `This is final. ${money(debtMicros)} is owed and will stay owed: operators cannot credit a closed account.`
        : `This is final. The balance of ${money(balanceMicros)} is forfeited. To pay it back, refund it first: a later refund at Stripe becomes a debt.`,
    isRed: ({ balanceMicros, debtMicros }) => debtMicros > 0 || balanceMicros > 0,
    hints: ({ email }) => ({ email: `To confirm the closing, type ${email}.` }),
    isDanger: true,
    notice: ({ taken }) =>
      `Closed. Its keys are refused for good, and ${money(Math.round(Number(taken) * 1_000_000))} was forfeited.`,
  },
}

/** True for an amount that must be typed twice: a large one, and a refund that leaves a debt. */
const isTypedTwice = ({ sign }: Offer, account: AccountView, micros: number) =>
  micros >= LARGE_MICROS || (sign === -1 && micros > fundsMicros(account))

/** Returns the fields of a page: the parameters of its command, and confirmations. */
function fieldsOf({ command, more }: Offer): Fields {
  const { account: _, confirm: __, ...fields } = commandOf(command).params.shape
  return { ...fields, ...more }
}

export const isOfferedOn = (account: AccountView, { isOffered = isOpen }: Offer) => isOffered(account)

function commandOf(name: Offer['command']): OperatorCommand {
  return COMMANDS.find(command => command.name === name) as unknown as OperatorCommand
}

export function addOffers(app: PageApp, { accounts }: Dashboard): void {
  for (const [name, offer] of Object.entries(OFFERS)) {
    const path = `/operator/accounts/:account/${name}`
    const isMoney = offer.sign !== undefined

    // The account may have changed since its page was opened.
    app.use(path, async (c, next) => {
      const account = accountOf(c, accounts)
      if (isOfferedOn(account, offer)) return next()
      const state = account.standing?.state ?? 'active'
      c.var.session.keep({ caution: `Nothing was changed: the account is ${state}.` })
      return c.redirect(operatorPath(c), 303)
    })

    app.get(path, c => {
      const account = accountOf(c, accounts)
      const wrong = Object.keys(c.get('refused')?.problems ?? {}).filter(name => name !== 'again')
      const micros = typedDollars(c.req.query('usd') ?? '')
      const entry = { reference: c.req.query('reference') ?? '', usd: micros ?? 0 }
      const isRefused = Boolean(offer.check?.(accounts, account, entry))
      const isAsked = isMoney && micros !== null && wrong.length === 0 && !isRefused
      return c.html(isAsked ? previewPage(c, account, offer) : offerPage(c, accounts, account, offer))
    })

    app.post(path, c => (isMoney ? sendMoney : sendOffer)(c, accounts, offer))
  }
}

function sendOffer(c: PageContext, accounts: Accounts, offer: Offer) {
  return submit(c, c.req.path, fieldsOf(offer), async (typed: Params) => {
    const { id, email } = accountOf(c, accounts)
    // Operators who suspend or close their own account would lose these pages.
    if (id === c.var.person.id && typed.reason !== undefined)
      throw new FieldProblem('This is your own account.', 'reason')
    if (offer.more?.email !== undefined && String(typed.email).toLowerCase() !== email.toLowerCase())
      throw new FieldProblem('This is not the address of the account.', 'email')
    return run(c, accounts, offer, typed)
  })
}

/** Checks an offer of money and shows its preview, which sends `seen` or the amount again. Then runs it. */
async function sendMoney(c: PageContext, accounts: Accounts, offer: Offer) {
  const fields = fieldsOf(offer)
  const entries = Array.from(await readForm(c), ([name, text]) => [name, text.trim()])
  const { csrf: _, again, seen, ...shown } = Object.fromEntries(entries)
  const preview = `${c.req.path}?${new URLSearchParams(shown as Record<string, string>)}`
  if (again === undefined && seen === undefined)
    return submit(c, preview, fields, async (typed: Params) => {
      expectAllowed(c, accounts, offer, typed as Refund)
      const problem = referenceProblem(accounts, String(typed.reference))
      if (problem) throw new FieldProblem(problem, 'reference')
      return { to: preview }
    })
  const asked = again === undefined ? fields : { ...fields, ...AGAIN }
  return submit(c, preview, asked, async (typed: Params) => {
    const isTwice = isTypedTwice(offer, accountOf(c, accounts), Number(typed.usd))
    if ((isTwice || again !== undefined) && typedDollars(again ?? '') !== typed.usd)
      throw new FieldProblem('Type the same amount again.', 'again')
    return run(c, accounts, offer, typed)
  })
}

/** @throws FieldProblem */
function expectAllowed(c: PageContext, accounts: Accounts, { check }: Offer, typed: Refund): void {
  const refused = check?.(accounts, accountOf(c, accounts), typed)
  if (refused) throw new FieldProblem(refused.problem, refused.param)
}

async function run(c: PageContext, accounts: Accounts, offer: Offer, typed: Params): Promise<Done> {
  expectAllowed(c, accounts, offer, typed as Refund)
  const params = { ...typed, account: accountOf(c, accounts).id, confirm: true }
  const result = (await commandOf(offer.command).run(accounts, params, null)) as Params
  const notice = offer.notice(result, accountOf(c, accounts))
  const to = operatorPath(c) + (offer.sign === undefined ? '' : '/money')
  return result.applied === false ? { to, caution: notice } : { to, notice }
}

function previewPage(c: PageContext, account: AccountView, offer: Offer) {
  const { title, sign = 1 } = offer
  const { usd = '', reference = '', note = '' } = c.req.query()
  const micros = typedDollars(usd) ?? 0
  const afterMicros = fundsMicros(account) + sign * micros
  return (
    <Confirmation
      title={`${title} of ${money(micros)}: ${account.email}?`}
      lead={sign < 0 ? NO_MONEY : undefined}
      text={
        <Pairs
          rows={[
            ['Balance now', fundsText(account)],
            [sign > 0 ? 'Credit' : 'Refund', `${sign > 0 ? '+' : '−'}${money(micros)}`],
            ['Balance after', money(afterMicros)],
            ['Owed after', afterMicros < 0 ? money(-afterMicros) : ''],
            ['Requests after', !paysForQuery(afterMicros) && 'refused until more is paid'],
            ['Reference', reference],
            ['Note', note],
          ]}
        />
      }
      hidden={{ usd, reference, note, seen: '' }}
      fields={isTypedTwice(offer, account, micros) ? AGAIN : undefined}
      button={title}
      kind={sign > 0 ? 'primary' : 'danger'}
      back={operatorPath(c)}
      change={`${c.req.path}?${new URLSearchParams({ change: usd, reference, note })}`}
    />
  )
}

function offerPage(c: PageContext, accounts: Accounts, account: AccountView, offer: Offer) {
  const { title, hint, hints, isDanger, sign } = offer
  const { hereMicros, atStripeMicros, here, effect, only } = refundTexts(accounts, account)
  const isNothing = sign === -1 && hereMicros === 0
  const isRed = offer.isRed?.(account)
  // A closing forfeits what could be refunded.
  const isRefundable = sign === -1 || (isRed && account.balanceMicros > 0)
  const record = hereMicros > 0 && <a href={`${operatorPath(c)}/refund`}>Record a refund</a>
  const { change = '', ...typed } = c.req.query()
  return (
    <Confirmation
      title={`${title}: ${account.email}`}
      up={[operatorPath(c), account.email]}
      lead={isRed || isNothing ? undefined : hint(account)}
      text={
        <div class={isRed ? 'problem' : undefined}>
          {isRed && <p>{hint(account)}</p>}
          {isRefundable && <p>{isRed ? [here, ' ', record] : here}</p>}
          {isRefundable && atStripeMicros > 0 && (
            <p>
              <a href={only ?? `${operatorPath(c)}/money`}>{`Refund ${money(atStripeMicros)} at Stripe`}</a>
              {`: ${effect}`}
            </p>
          )}
        </div>
      }
      fields={fieldsOf(offer)}
      values={offer.values?.(account) ?? (sign ? { ...typed, usd: typedDollars(change) } : {})}
      hints={hints?.(account, accounts)}
      button={isNothing ? '' : sign !== undefined ? 'Continue' : offer.values ? 'Save' : title}
      kind={isDanger ? 'danger' : 'primary'}
      back={operatorPath(c)}
    />
  )
}
