/** Commands on accounts and their members. */
import { AccountError } from '../../billing/accounts/account-error.ts'
import type { Accounts } from '../../billing/accounts/accounts.ts'
import { ACCOUNT_ORDERS, ACCOUNT_STATES } from '../../billing/accounts/reports/account-search.ts'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { perWindow } from '../../billing/accounts/windows.ts'
import { ROLES } from '../../billing/ledger/event.ts'
import {
  ACCOUNT_NOTE_LENGTH_MAX,
  NOTE_LENGTH_MAX,
  RATE_LIMIT_MAX,
  RATE_LIMIT_MIN,
  REFERENCE_LENGTH_MAX,
} from '../../billing/limits.ts'
import { dollars } from '../../billing/money.ts'
import { SLOTS_SETTING_MAX } from '../../platform/limits.ts'
import type { Planes } from '../control-plane-parts.ts'
import { countedText, refusalRows } from '../reports/activity.ts'
import { foundIn, referencesOf } from '../reports/found.ts'
import { needOf, reasonsOf, senderOf, titleOf } from '../reports/reasons.ts'
import { amountMicros, isPayment } from '../reports/refundable.ts'
import {
  type Refund,
  referenceProblem,
  refundProblem,
  refundTexts,
  statementEntry,
} from '../reports/statement.ts'
import { PROVED_EMAIL } from '../session/proved-email.ts'
import { sumOf, sumsByKey } from '../sums.ts'
import { count, iso, keyState, money, plural, ROLE_NAMES } from '../words.ts'
import {
  command,
  findAccount,
  findOpenAccount,
  isNamed,
  mergeLimits,
  noteOfState,
  running,
  type Service,
} from './command.ts'
import { OperatorError } from './operator-error.ts'
import { choice, dollarAmount, integer, optionalDollars, optionalText, text } from './params.ts'

const account = text({ description: 'an id, an email address, or demo' })
export const RATE_LIMITS = perWindow(({ name }) =>
  integer(RATE_LIMIT_MIN, RATE_LIMIT_MAX, {
    description: `queries per ${name}`,
    canBeNull: true,
    label: `Queries per ${name}`,
    empty: 'no limit',
    problem: `A limit must be a whole number from ${count(RATE_LIMIT_MIN)} to ${count(RATE_LIMIT_MAX)}, or empty for none.`,
    refusals: ['INVALID_LIMITS'],
  }),
)
const REFERENCE = text({
  placeholder: '<text>',
  description: 'number of an invoice, or of your own transfer',
  label: 'Reference',
  hint: 'The number of an invoice, a ticket or a refund. Each can be used once.',
  lengthMax: REFERENCE_LENGTH_MAX,
  refusals: ['REFERENCE_CONFLICT', 'INVALID_REFERENCE'],
})
const NOTE = optionalText({
  placeholder: '<text>',
  description: "a note; the account's owner sees it",
  label: 'Note (optional; the owner sees it)',
  lengthMax: NOTE_LENGTH_MAX,
})
const REASON = text({
  placeholder: '<text>',
  description: "the reason; the account's owner sees it",
  label: 'Reason (the owner sees it)',
  lengthMax: NOTE_LENGTH_MAX,
})
const FOUND = 'id email state balance debt disputed spent queries lastSeenAt daysLeft refused reason found'
export const THRESHOLD = optionalDollars('warning', 'INVALID_PROFILE')

const standingCommand = <const Change extends 'suspend' | 'resume'>(
  change: Change,
  summary: string,
  reason: string,
) =>
  command({
    name: `account.${change}` as const,
    summary,
    example: `postrie account ${change} ada@example.com --reason "${reason}"`,
    params: { account, reason: REASON },
    async run(accounts, { account: name, reason }) {
      const { id, standing } = findAccount(accounts, name)
      const applied = (standing === null) === (change === 'suspend')
      return { ...standingRow(await accounts[change](id, reason)), applied }
    },
    note: noteOfState,
  })

/** What cannot be refunded here may have been sent by bank, with `confirm`. The same refund again changes nothing. */
function refundStake(accounts: Accounts, { account: name, ...refund }: Refund & { account: string }) {
  const account = findOpenAccount(accounts, name)
  const { problem, stripe } = refundProblem(accounts, account, refund) ?? {}
  const owedMicros = refund.usd - account.balanceMicros
  const isOwed = owedMicros > 0 && !stripe && accounts.entryOf(refund.reference) === null
  const owed = `The balance is ${money(account.balanceMicros)}: ${money(owedMicros)} would be owed.`
  const twice = stripe && 'With --confirm, it is deducted here, and by the message of Stripe again.'
  return [problem, stripe, twice, isOwed && owed].filter(text => text).join(' ')
}

const entryCommand = <const Change extends 'credit' | 'refund'>(
  change: Change,
  summary: string,
  reference: string,
) =>
  command({
    name: `account.${change}` as const,
    summary,
    example: `postrie account ${change} ada@example.com 5.00 --reference ${reference}`,
    params: { account, usd: dollarAmount(), reference: REFERENCE, note: NOTE },
    ...(change === 'refund' && { stake: refundStake }),
    async run(accounts, { account: name, usd: micros, reference, note }) {
      const { id, email } = findOpenAccount(accounts, name)
      const entry = { account: id, micros, reference, note }
      const run =
        change === 'credit'
          ? accounts.credit({ ...entry, kind: 'operator' })
          : accounts.adjust({ ...entry, kind: 'refund' })
      const done = await run.catch(error => {
        if (!(error instanceof AccountError) || error.code !== 'REFERENCE_CONFLICT') throw error
        throw new AccountError(error.code, referenceProblem(accounts, reference) ?? error.message)
      })
      const { applied } = done
      const changed = applied ? dollars(micros) : 0
      return { id, email, [`${change}ed`]: changed, reference, applied, ...fundsRow(done) }
    },
    note: ({ applied }) => (applied ? '' : 'This reference has been used before: nothing was changed.'),
  })

const member = text({
  placeholder: 'email',
  label: 'Email address',
  inputmode: 'email',
  hint: 'Of a person who has signed in once with this address. An owner can invite anybody.',
})
export const ROLE = choice(ROLES, 'developer', {
  placeholder: '<role>',
  description: 'role of the member',
  label: 'Role',
  options: ROLE_NAMES,
})

export const ACCOUNT_COMMANDS = [
  command({
    name: 'account.create',
    summary: 'open an account with the free queries',
    example: 'postrie account create ada@example.com --json',
    params: { email: text() },
    async run(accounts, { email }) {
      const view = await accounts.createAccount({ email })
      return { id: view.id, email: view.email, balance: dollars(view.balanceMicros) }
    },
  }),
  command({
    name: 'account.list',
    summary: 'list all accounts, oldest first',
    example: 'postrie account list',
    params: {},
    columns: ['id', 'email', 'state', 'balance', 'debt', 'spent', 'activeKeys', 'rateLimits'],
    run: accounts => accounts.listAccounts().map(view => accountRow(accounts, view)),
  }),
  command({
    name: 'account.show',
    summary: 'show the state, money and members of an account, and why its requests were refused',
    example: 'postrie account show ada@example.com',
    params: { account },
    run(accounts, { account: name }, service) {
      const view = findAccount(accounts, name)
      const keys = accounts.listKeys(view.id)
      const paidMicros = sumOf(accounts.statement(view.id).filter(isPayment).map(amountMicros))
      return {
        ...accountRow(accounts, view),
        keys: keys.length,
        keyStates: Object.fromEntries(sumsByKey(keys.map(key => [keyState(key), 1]))),
        paid: dollars(paidMicros),
        stateReason: view.standing?.reason ?? null,
        threshold: view.lowBalanceMicros === null ? null : dollars(view.lowBalanceMicros),
        note: view.note,
        members: membersOf(accounts, view).map(({ person: _, ...member }) => member),
        ...refusedRows(view, keys, service),
      }
    },
    note: refusedNote,
  }),
  command({
    name: 'account.search',
    summary:
      "find accounts by part of an email, also of a member, of the note or of a key's label, by id, by the beginning of a key, or by a payment or another reference",
    example: 'postrie account search @example.com --order spent',
    params: {
      wanted: optionalText({ placeholder: 'text' }),
      state: choice(ACCOUNT_STATES, 'all', { placeholder: '<state>', description: 'only this state' }),
      order: choice(ACCOUNT_ORDERS, undefined, {
        placeholder: '<order>',
        description: 'order of the list (default: the most urgent or newest first)',
      }),
      page: integer(1, SLOTS_SETTING_MAX, { description: 'page of 50 accounts', preset: 1 }),
    },
    columns: FOUND.split(' '),
    async run(accounts, { page, ...search }, service) {
      const { state, order, wanted } = search
      const refusing = state === 'errors' || order === 'refused' ? running(service) : null
      const needed = refusing ? needing(refusing) : { nowMs: Date.now() }
      const asked = { ...needed, ...search, references: referencesOf(wanted), page: page ?? 1 }
      const { totals: _, ...found } = await accounts.search(asked)
      // The search would answer with the last page, and a script that counts up would never end.
      if (asked.page > found.pages)
        throw new OperatorError('not_found', `there is no page ${page}: the last one is ${found.pages}`)
      return {
        ...found,
        accounts: found.accounts.map(view => {
          const need = refusing && needIn(refusing, view)
          return {
            ...accountRow(accounts, view),
            queries: view.queries,
            lastSeenAt: iso(view.lastSeenMs),
            daysLeft: view.daysLeft && Math.floor(view.daysLeft),
            ...(need && { refused: need.refused, reason: need.reason ?? null }),
            found: foundIn(accounts, view, wanted).texts,
          }
        }),
      }
    },
    note({ matches, page, pages }) {
      if (matches === 0) return 'No account matches. A reference must be complete.'
      return `${plural(matches, 'account')}, page ${page} of ${pages}.${page < pages ? ` --page ${page + 1} shows more.` : ''}`
    },
  }),
  entryCommand('credit', 'add to a balance, only once for each reference', 'invoice-17'),
  entryCommand(
    'refund',
    'deduct a refund from a balance. Money that came through Stripe is refunded there',
    'refund-17',
  ),
  command({
    name: 'account.limits',
    summary: 'show or set rate limits. Other windows keep their limits',
    example: 'postrie account limits ada@example.com --per-minute 600 --per-day none',
    params: { account, ...RATE_LIMITS },
    async run(accounts, { account: name, ...windows }) {
      const { id, email, ...present } = findAccount(accounts, name)
      const next = mergeLimits(present.limits, windows)
      const { limits } = isNamed(windows) ? await accounts.setLimits(id, next) : present
      return { id, email, rateLimits: limits }
    },
  }),
  command({
    name: 'account.threshold',
    summary: 'show or set the balance below which the dashboard and the webhook warn',
    example: 'postrie account threshold ada@example.com 2.00',
    params: { account, usd: THRESHOLD },
    async run(accounts, { account: name, usd }) {
      const { id, email, ...present } = findAccount(accounts, name)
      const { lowBalanceMicros } = usd === undefined ? present : await accounts.setLowBalance(id, usd)
      return { id, email, threshold: lowBalanceMicros === null ? null : dollars(lowBalanceMicros) }
    },
  }),
  command({
    name: 'account.statement',
    summary: 'list every credit and every day of usage. The amounts add up to the balance',
    example: 'postrie account statement ada@example.com --csv > statement.csv',
    params: { account },
    run: (accounts, { account: name }) =>
      accounts.statement(findAccount(accounts, name).id).map(statementEntry),
  }),
  command({
    name: 'account.note',
    summary: 'set the note that only operators see',
    example: 'postrie account note ada@example.com "pays by bank transfer"',
    params: {
      account,
      note: text(
        {
          label: 'Note',
          hint: 'Only operators see it. Leave it empty for none.',
          lengthMax: ACCOUNT_NOTE_LENGTH_MAX,
          isLong: true,
          refusals: ['INVALID_NOTE'],
        },
        0,
      ),
    },
    async run(accounts, { account: name, note: wanted }) {
      const { id, email, note } = await accounts.setNote(findAccount(accounts, name).id, wanted)
      return { id, email, note }
    },
  }),
  standingCommand(
    'suspend',
    'refuse its keys from the next request on, until it is resumed',
    'asked for by phone',
  ),
  standingCommand('resume', 'let the keys of a suspended account work again', 'paid'),
  command({
    name: 'account.close',
    summary: 'refuse its keys for good and forfeit the balance. Refund the balance first',
    example: 'postrie account close ada@example.com --reason "asked for by phone"',
    params: { account, reason: REASON },
    stake(accounts, { account: name }) {
      const account = findAccount(accounts, name)
      const { balanceMicros, debtMicros, standing } = account
      if (standing?.state === 'closed') return ''
      if (debtMicros > 0) return `${money(debtMicros)} is owed, and a closed account cannot be credited.`
      const { hereMicros, atStripeMicros, here, effect } = refundTexts(accounts, account)
      if (balanceMicros === 0 || hereMicros + atStripeMicros === 0) return ''
      const atStripe = atStripeMicros > 0 ? ` Refund ${money(atStripeMicros)} at Stripe: ${effect}` : ''
      return `The balance of ${money(balanceMicros)} would be forfeited. To pay it back, refund it first: a later refund becomes a debt. ${here}${atStripe}`
    },
    async run(accounts, { account: name, reason }) {
      const { id, standing } = findAccount(accounts, name)
      const { takenMicros, ...view } = await accounts.closeAccount(id, reason)
      const applied = standing?.state !== 'closed'
      return { ...standingRow(view), taken: dollars(takenMicros), applied }
    },
    note(done) {
      const owed = done.debt > 0 ? `${money(Math.round(done.debt * 1_000_000))} is owed and stays owed.` : ''
      return noteOfState(done) || owed
    },
  }),
  command({
    name: 'member.list',
    summary: 'list members and pending invitations',
    example: 'postrie account members list shop@example.com --json',
    params: { account },
    run: (accounts, { account: name }) => teamRow(accounts, findAccount(accounts, name)),
  }),
  command({
    name: 'member.add',
    summary: 'add a person who has signed in once, or give a member another role',
    example: 'postrie account members add shop@example.com ada@example.com --role owner',
    params: { account, member, role: ROLE },
    async run(accounts, { account: name, member, role }) {
      const account = findAccount(accounts, name)
      await accounts.teams.add(account.id, personOf(accounts, account.id, member), role)
      return teamRow(accounts, account)
    },
  }),
  command({
    name: 'member.remove',
    summary: 'end a membership from the next request on. The last owner cannot be removed',
    example: 'postrie account members remove shop@example.com ada@example.com',
    params: { account, member },
    async run(accounts, { account: name, member }) {
      const account = findAccount(accounts, name)
      await accounts.teams.change(account.id, personOf(accounts, account.id, member), null)
      return teamRow(accounts, account)
    },
  }),
] as const

/** Returns why requests with some keys of an account were refused, and since when; null without a server. */
export function refusedRows(view: AccountView, keys: readonly KeyView[], service: Service | null) {
  if (service === null) return { counted: null, refusals: null }
  const counts = refusalRows(service, view.id).filter(({ keyId }) => keys.some(({ id }) => id === keyId))
  const reasons = reasonsOf(counts, view, keys, `/operator/accounts/${view.id}`)
  const refusals = reasons.map(({ refusal, ...reason }) => ({
    reason: titleOf(refusal),
    status: refusal.status,
    requests: reason.requests,
    keys: [...reason.keys],
    lastAt: iso(refusal.lastMs),
    from: senderOf(refusal),
    past: reason.isOver,
    remedy: reason.text,
  }))
  return { counted: countedText(service.dataPlane, Date.now()), refusals }
}

export function refusedNote({ refusals, counted }: ReturnType<typeof refusedRows>): string {
  if (refusals === null) return 'Only a running server knows which requests were refused.'
  return refusals.length === 0 ? `No request was refused ${counted}.` : ''
}

function accountRow(accounts: Accounts, view: AccountView) {
  return {
    id: view.id,
    email: view.email,
    ...fundsRow(view),
    disputed: view.disputedMicros > 0 ? dollars(view.disputedMicros) : null,
    spent: dollars(view.spentMicros),
    state: view.standing?.state ?? 'active',
    rateLimits: view.limits,
    createdAt: iso(view.createdMs),
    activeKeys: accounts.listKeys(view.id).filter(key => keyState(key) === 'active').length,
  }
}

/** Returns the refused requests of 48 hours, and why most of them would be refused again. */
export const needIn = (planes: Planes, account: AccountView) =>
  needOf(refusalRows(planes, account.id), account, planes.accounts.listKeys(account.id))

/** Returns how the state `errors` finds active accounts whose requests would be refused again. */
export function needing(planes: Planes) {
  const { accounts, dataPlane } = planes
  const nowMs = Date.now()
  const needsHelp = (id: string) => needIn(planes, findAccount(accounts, id)).reason !== undefined
  return { nowMs, refused: dataPlane.activity.refusedCounts(nowMs), needsHelp }
}

/** An account has a balance or a debt. */
function fundsRow({ balanceMicros, debtMicros }: Pick<AccountView, 'balanceMicros' | 'debtMicros'>) {
  return { balance: dollars(balanceMicros), debt: dollars(debtMicros) }
}

function standingRow(view: AccountView) {
  const { id, email, standing } = view
  const { state = 'active', reason = null } = standing ?? {}
  return { id, email, state, reason, ...fundsRow(view) }
}

/** Returns the id of a member by address or id, or of a person who has proved the address at a sign-in. */
function personOf(accounts: Accounts, account: string, member: string): string {
  const address = member.toLowerCase()
  const { members } = accounts.teams.of(account)
  const known = members.find(({ person, email }) => person === member || email === address)
  const person = known?.person ?? accounts.accountByIdentity(PROVED_EMAIL, address)?.id
  if (person !== undefined) return person
  throw new OperatorError(
    'not_found',
    `nobody has signed in with the confirmed address '${member}': let them sign in once, or let an owner invite them`,
  )
}

/** Returns the members, and the person that an account was opened for, who has not come yet. */
export function membersOf(accounts: Accounts, { id, email }: AccountView) {
  const isAwaited = accounts.identities(id).length === 0
  const awaited = { person: null, email, role: 'owner', signedIn: false } as const
  const members = accounts.teams.of(id).members.map(member => ({ ...member, signedIn: true }))
  return isAwaited ? [awaited, ...members] : members
}

function teamRow(accounts: Accounts, account: AccountView) {
  const { invitations } = accounts.teams.of(account.id)
  return {
    account: account.id,
    members: membersOf(accounts, account),
    invitations: invitations.map(({ endMs, ...invitation }) => ({ ...invitation, endsAt: iso(endMs) })),
  }
}
