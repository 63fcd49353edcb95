/** The operator's commands about one account: a form for each, and for money a preview. */
import type { Accounts } from '../../billing/accounts/accounts.ts'
import type { AccountView } from '../../billing/accounts/views.ts'
import { EMAIL_LENGTH_MAX } from '../../billing/limits.ts'
import { paysForQuery } from '../../billing/money.ts'
import { addStep, FieldProblem, type Fields, type FormProps, type Step } from '../layout/form.tsx'
import { type Pair, Pairs } from '../layout/parts.tsx'
import type { OperatorCommand } from '../operator/command.ts'
import { COMMANDS } from '../operator/commands.ts'
import { optionalText, text } from '../operator/params.ts'
import { usedTexts } from '../reports/figures.ts'
import { type Refund, referenceProblem, refundProblem, refundTexts } from '../reports/statement.ts'
import { accountOf, operatorPath } from '../session/access.ts'
import { readForm } from '../session/forms.ts'
import type { Dashboard, PageApp, PageContext } from '../session/page-context.ts'
import { limitTexts, money, typedDollars } from '../words.ts'

const KEYS_WORK = 'Its keys are no longer refused for the suspension.'
const NO_MONEY = 'No money moves here. This records a refund that you made elsewhere, or corrects a credit.'

/** Smallest amount that must be typed twice. */
const LARGE_MICROS = 1_000_000_000
const AGAIN = { again: optionalText({ label: 'Type the amount again', inputmode: 'decimal' }) }

interface Offer {
  title: string
  /** Given for money, which a second page previews: 1 adds it to the balance, -1 deducts it. */
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

/** Offers by the end of their paths and of the names of their commands. */
export const OFFERS: Readonly<Record<string, Offer>> = {
  credit: {
    title: 'Credit',
    sign: 1,
    hint: account => `${account.debtMicros > 0 ? 'Pays' : 'Adds to'} ${fundsName(account)}.`,
    notice: noticeOf('Credited'),
  },
  refund: {
    title: 'Record a refund',
    sign: -1,
    check: refundProblem,
    hint: account =>
      `${NO_MONEY} It is ${account.debtMicros > 0 ? 'added to' : 'deducted from'} ${fundsName(account)}.`,
    notice: noticeOf('Refund recorded'),
  },
  limits: {
    title: 'Rate limits',
    values: ({ limits }) => limits,
    hints: (account, accounts) =>
      account.limits === null ? {} : usedTexts(account, accounts.currentQueries(account.id)),
    hint: () =>
      'Requests beyond a limit get 429. A bulk request counts once per record. Counting begins when limits are turned on.',
    notice: (_, { limits }) => `Rate limits from the next request: ${limitTexts(limits)}.`,
  },
  note: {
    title: 'Note',
    values: ({ note }) => ({ note }),
    hint: () => 'It is shown at the top of the page of this account. The audit log has every version.',
    isOffered: () => true,
    notice: () => 'The note is saved.',
  },
  suspend: {
    title: 'Suspend',
    hint: () =>
      'Every key gets 401 from the next request on. The owner can still read every page, and sees your reason.',
    isDanger: true,
    isOffered: ({ standing }) => standing === null,
    notice: () => 'Suspended. Its keys are refused from now on.',
  },
  resume: {
    title: 'Resume',
    hint: account =>
      `${KEYS_WORK}${paysForQuery(account.balanceMicros) ? '' : ' Requests get 402 until more is paid.'}`,
    isOffered: ({ standing }) => standing?.state === 'suspended',
    notice: () => `Resumed. ${KEYS_WORK}`,
  },
  close: {
    title: 'Close for good',
    more: { email: text({ label: 'Email address of the account', lengthMax: EMAIL_LENGTH_MAX }) },
    hint: ({ balanceMicros, debtMicros, disputedMicros }) =>
      (debtMicros > 0
        ? `This is final. ${money(debtMicros)} is owed and will stay owed: operators cannot credit a closed account.`
        : `This is final. The balance of ${money(balanceMicros)} is forfeited. To pay it back, refund it first: a later refund at Stripe becomes a debt.`) +
      (disputedMicros > 0
        ? ` ${money(disputedMicros)} is disputed: what is given back later is shown as paid after closing.`
        : ''),
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

export const isOfferedOn = (account: AccountView, { isOffered = isOpen }: Offer) => isOffered(account)

export function addOffers(app: PageApp, { accounts }: Dashboard): void {
  for (const [name, offer] of Object.entries(OFFERS)) {
    const path = `/operator/accounts/:account/${name}`
    const { more, sign, check } = offer
    const command = COMMANDS.find(each => each.name === `account.${name}`) as unknown as OperatorCommand
    const { account: _, confirm: __, ...own } = command.params.shape
    const fields: Fields = { ...own, ...more }

    // The account may have changed since its page was opened.
    app.use(path, async (c, next) => {
      const account = accountOf(c, accounts)
      if (isOfferedOn(account, offer)) return next()
      const state = account.standing?.state ?? 'active'
      c.var.session.keep({ caution: `Nothing was changed: the account is ${state}.` })
      return c.redirect(operatorPath(c), 303)
    })

    addStep<Fields>(app, path, operatorPath, {
      fields: { ...fields, ...(sign && AGAIN) },
      shownAt: sign && previewPath,
      ask(c) {
        const account = accountOf(c, accounts)
        const wrong = Object.keys(c.get('refused')?.problems ?? {}).filter(name => name !== 'again')
        const usd = typedDollars(c.req.query('usd') ?? '')
        const isSound =
          usd !== null && !check?.(accounts, account, { reference: c.req.query('reference') ?? '', usd })
        return sign !== undefined && isSound && wrong.length === 0
          ? previewStep(c, account, offer, usd)
          : { ...offerStep(c, accounts, account, offer), fields }
      },
      async run(c, typed: Params) {
        const account = accountOf(c, accounts)
        // Operators who suspend or close their own account would lose these pages.
        if (account.id === c.var.person.id && typed.reason !== undefined)
          throw new FieldProblem('This is your own account.', 'reason')
        if (more?.email !== undefined && String(typed.email).toLowerCase() !== account.email.toLowerCase())
          throw new FieldProblem('This is not the address of the account.', 'email')
        const refused = check?.(accounts, account, typed as Refund)
        if (refused) throw new FieldProblem(refused.problem, refused.param)
        if (sign !== undefined && !typed.again && !(await readForm(c)).has('seen')) {
          const problem = referenceProblem(accounts, String(typed.reference))
          if (problem) throw new FieldProblem(problem, 'reference')
          return { to: await previewPath(c) }
        }
        const isTwice = typed.again || isTypedTwice(offer, account, Number(typed.usd))
        if (isTwice && typedDollars(String(typed.again)) !== typed.usd)
          throw new FieldProblem('Type the same amount again.', 'again')
        const params = { ...typed, account: account.id, confirm: true }
        const result = (await command.run(accounts, params, null)) as Params
        const notice = offer.notice(result, accountOf(c, accounts))
        const to = operatorPath(c) + (sign === undefined ? '' : '/money')
        return result.applied === false ? { to, caution: notice } : { to, notice }
      },
    })
  }
}

/** Returns the address of the preview of a form of money, which has the typed entry. */
async function previewPath(c: PageContext): Promise<string> {
  const entries = Array.from(await readForm(c), ([name, text]) => [name, text.trim()])
  const { csrf: _, again: __, seen: ___, ...shown } = Object.fromEntries(entries)
  return `${c.req.path}?${new URLSearchParams(shown as Record<string, string>)}`
}

function previewStep(c: PageContext, account: AccountView, offer: Offer, micros: number): Step<Fields> {
  const { title, sign = 1 } = offer
  const { usd = '', reference = '', note = '' } = c.req.query()
  const afterMicros = fundsMicros(account) + sign * micros
  const rows: Pair[] = [
    ['Balance now', fundsText(account)],
    [sign > 0 ? 'Credit' : 'Refund', `${sign > 0 ? '+' : '−'}${money(micros)}`],
    ['Balance after', money(afterMicros)],
    ['Owed after', afterMicros < 0 ? money(-afterMicros) : ''],
    ['Requests after', !paysForQuery(afterMicros) && 'refused until more is paid'],
    ['Reference', reference],
    ['Note', note],
  ]
  return {
    title: `${title} of ${money(micros)}: ${account.email}?`,
    lead: sign < 0 ? NO_MONEY : undefined,
    text: <Pairs rows={rows} />,
    hidden: { usd, reference, note, seen: '' },
    fields: isTypedTwice(offer, account, micros) ? AGAIN : {},
    button: title,
    kind: sign > 0 ? 'primary' : 'danger',
    change: `${c.req.path}?${new URLSearchParams({ change: usd, reference, note })}`,
  }
}

function offerStep(c: PageContext, accounts: Accounts, account: AccountView, offer: Offer): Step<Fields> {
  const { title, hint, hints, isDanger, sign } = offer
  const { hereMicros, atStripeMicros, here, effect, only } = refundTexts(accounts, account)
  const isNothing = sign === -1 && hereMicros === 0
  const isRed = offer.isRed?.(account)
  // A closing forfeits what could be refunded.
  const isRefundable = sign === -1 || (isRed && account.balanceMicros > 0)
  const record = hereMicros > 0 && <a href={`${operatorPath(c)}/refund`}>Record a refund</a>
  const { change = '', ...typed } = c.req.query()
  return {
    title: `${title}: ${account.email}`,
    up: [operatorPath(c), account.email],
    lead: isRed || isNothing ? undefined : hint(account),
    text: (
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
    ),
    values: offer.values?.(account) ?? (sign ? { ...typed, usd: typedDollars(change) } : {}),
    hints: hints?.(account, accounts),
    button: isNothing ? '' : sign !== undefined ? 'Continue' : offer.values ? 'Save' : title,
    kind: isDanger ? 'danger' : 'primary',
  }
}
