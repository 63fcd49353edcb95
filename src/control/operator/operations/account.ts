/** Operations on accounts: open, list, credit, limit, state. */
import {
  ACCOUNT_ORDERS,
  ACCOUNT_STATES,
  type AccountView,
  type StatementRow,
} from '../../../accounts/views.ts'
import {
  ACCOUNTS_MAX,
  CREDIT_MAX_MICROS,
  EMAIL_LENGTH_MAX,
  NOTE_LENGTH_MAX,
  RATE_LIMIT_MAX,
  RATE_LIMIT_MIN,
  REFERENCE_LENGTH_MAX,
} from '../../../limits.ts'
import { dollars } from '../../../money.ts'
import { OperatorError } from '../operator-error.ts'
import type { Params } from '../params.ts'
import { findAccount, operation } from './operation.ts'
import { mergedLimits } from './windows.ts'

const accountName = (params: Params) => params.text('account', EMAIL_LENGTH_MAX)

export const accountCreate = operation(
  ['email'],
  params => ({ email: params.text('email', EMAIL_LENGTH_MAX) }),
  async (accounts, { email }) => {
    const view = await accounts.createAccount({ email })
    return { id: view.id, email: view.email, balance: dollars(view.balanceMicros) }
  },
)

/** One page of the accounts that match. */
export const accountSearch = operation(
  ['wanted', 'state', 'order', 'page'],
  params => ({
    wanted: params.optionalText('wanted', EMAIL_LENGTH_MAX) ?? '',
    state: params.oneOf('state', ACCOUNT_STATES) ?? 'all',
    order: params.oneOf('order', ACCOUNT_ORDERS) ?? 'newest',
    page: params.optionalInteger('page', 1, ACCOUNTS_MAX) ?? 1,
  }),
  (accounts, search) => {
    const found = accounts.search(search)
    return {
      ...found,
      accounts: found.accounts.map(view => ({
        ...listed(view),
        state: view.standing?.state ?? 'active',
        queries: view.queries,
        lastSeenAt: view.lastSeenMs === null ? null : new Date(view.lastSeenMs).toISOString(),
      })),
    }
  },
)

const standingParams = (params: Params) => ({
  name: accountName(params),
  reason: params.text('reason', NOTE_LENGTH_MAX),
})

/** The next request with any key of the account gets 401. Suspending again changes nothing. */
export const accountSuspend = operation(
  ['account', 'reason'],
  standingParams,
  async (accounts, { name, reason }) =>
    standing(await accounts.suspend(findAccount(accounts, name).id, reason)),
)

export const accountResume = operation(
  ['account', 'reason'],
  standingParams,
  async (accounts, { name, reason }) =>
    standing(await accounts.resume(findAccount(accounts, name).id, reason)),
)

/** Final. What is left of the balance is taken; to pay it back, refund it before. */
export const accountClose = operation(
  ['account', 'reason'],
  standingParams,
  async (accounts, { name, reason }) => {
    const { id, balanceMicros } = findAccount(accounts, name)
    const view = await accounts.closeAccount(id, reason)
    return { ...standing(view), taken: dollars(balanceMicros - view.balanceMicros) }
  },
)

function standing({ id, email, standing, balanceMicros }: AccountView) {
  return {
    id,
    email,
    state: standing?.state ?? 'active',
    reason: standing?.reason ?? null,
    balance: dollars(balanceMicros),
  }
}

export const accountList = operation(
  [],
  () => ({}),
  accounts => accounts.listAccounts().map(listed),
)

function listed(view: AccountView) {
  return {
    id: view.id,
    email: view.email,
    balance: dollars(view.balanceMicros),
    spent: dollars(view.spentMicros),
    state: view.standing?.state ?? 'active',
    activeKeys: view.activeKeys,
    rateLimits: view.limits,
    createdAt: new Date(view.createdMs).toISOString(),
  }
}

/** A credit is applied once per reference: sending it again after a lost answer is safe. */
export const accountCredit = operation(
  ['account', 'usd', 'reference'],
  params => ({
    name: accountName(params),
    micros: params.micros('usd', 1, CREDIT_MAX_MICROS),
    reference: params.text('reference', REFERENCE_LENGTH_MAX),
  }),
  async (accounts, { name, micros, reference }) => {
    const { id, email } = findAccount(accounts, name)
    const { applied, balanceMicros } = await accounts.credit({
      account: id,
      micros,
      reference,
      kind: 'operator',
    })
    return { id, email, credited: dollars(micros), reference, applied, balance: dollars(balanceMicros) }
  },
)

/** Windows that are not named keep their limit, null lifts one, `off` switches all off; without any it only shows. */
export const accountLimits = operation(
  ['account', 'perMinute', 'perHour', 'perDay', 'off'],
  params => {
    const limit = (name: string) => params.optionalInteger(name, RATE_LIMIT_MIN, RATE_LIMIT_MAX)
    const windows = { perMinute: limit('perMinute'), perHour: limit('perHour'), perDay: limit('perDay') }
    const named = Object.values(windows).some(value => value !== undefined)
    const off = params.flag('off')
    if (off && named) throw new OperatorError('invalid', 'off and a limit exclude each other')
    return { name: accountName(params), windows, named, off }
  },
  async (accounts, { name, windows, named, off }) => {
    const { id, email, limits } = findAccount(accounts, name)
    if (!off && !named) return { id, email, rateLimits: limits }
    const next = off ? null : mergedLimits(limits, windows)
    const view = await accounts.setLimits(id, next)
    return { id, email, rateLimits: view.limits }
  },
)

/** The balance below which the dashboard warns; `off`: never. */
export const accountThreshold = operation(
  ['account', 'usd', 'off'],
  params => ({
    name: accountName(params),
    micros: params.flag('off') ? null : params.micros('usd', 0, CREDIT_MAX_MICROS),
  }),
  async (accounts, { name, micros }) => {
    const { id, email, lowBalanceMicros } = await accounts.setLowBalance(
      findAccount(accounts, name).id,
      micros,
    )
    return { id, email, threshold: lowBalanceMicros === null ? null : dollars(lowBalanceMicros) }
  },
)

export const accountStatement = operation(
  ['account'],
  params => ({ name: accountName(params) }),
  (accounts, { name }) => accounts.statement(findAccount(accounts, name).id).map(stated),
)

/** One line of a statement as JSON and as a row of CSV. */
export function stated(row: StatementRow) {
  return {
    time: new Date(row.timeMs).toISOString(),
    kind: row.kind,
    amount: dollars(row.micros),
    balance: dollars(row.balanceMicros),
    queries: row.queries,
    key: row.key,
    reference: row.reference,
    note: row.note,
  }
}
export type Stated = ReturnType<typeof stated>
