import { identityKey } from '../../ledger/book/book.ts'
import type { AccountRecord, Identity } from '../../ledger/book/record.ts'
import type { EventOf, LedgerEvent, RateLimits } from '../../ledger/event.ts'
import { NEW_ACCOUNT_CREDIT_MICROS } from '../../money.ts'
import { AccountError } from '../account-error.ts'
import type { Transaction } from '../account-store.ts'
import { presentActor } from '../actor.ts'
import { randomText } from '../secret.ts'
import {
  checkAccountNote,
  checkEmail,
  checkIdentity,
  checkLimits,
  checkMicrosOrNull,
  checkReason,
  unverifiedName,
} from './checked-input.ts'
import type { CommandContext } from './run-command.ts'

export interface NewAccount {
  email: string
  freeCredit?: boolean
  identity?: Identity
  /** True if no provider vouches that `email` belongs to `identity`. The email is then only a label. */
  isUnverified?: boolean
}

/** Creates an account with its free credit and sign-in. @throws EMAIL_TAKEN, IDENTITY_TAKEN, … */
export function createAccount(
  context: CommandContext,
  options: NewAccount,
): [EventOf<'account'>, ...LedgerEvent[]] {
  const { book } = context
  const identity = options.identity && checkIdentity(options.identity)
  const email =
    identity && options.isUnverified === true
      ? unverifiedName(options.email, identity.issuer, identity.subject)
      : checkEmail(options.email)
  if (book.byEmail.has(email)) throw new AccountError('EMAIL_TAKEN', `${email} already has an account.`)
  if (book.accounts.size >= context.accountsMax)
    throw new AccountError(
      'TOO_MANY_ACCOUNTS',
      `This service holds at most ${context.accountsMax} accounts. Raise ACCOUNTS_MAX.`,
    )
  if (identity) expectFree(context, identity)
  const slot = book.slots.length
  const id = `acct_${randomText(12)}`
  const rest: LedgerEvent[] = []
  if (options.freeCredit !== false) {
    const amount = { micros: NEW_ACCOUNT_CREDIT_MICROS, debtPaidMicros: 0 }
    const why = { credit: 'free', reference: `free:${id}`, note: '' } as const
    rest.push({ kind: 'credit', account: slot, ...amount, ...why })
  }
  if (identity) rest.push({ kind: 'identity', account: slot, ...identity })
  return [{ kind: 'account', slot, id, email }, ...rest]
}

/** Links a sign-in to an account. A repetition changes nothing. @throws IDENTITY_TAKEN */
export function linkIdentity(
  context: CommandContext,
  account: AccountRecord,
  identity: Identity,
): Transaction | null {
  const checked = checkIdentity(identity)
  if (context.book.byIdentity.get(identityKey(checked.issuer, checked.subject)) === account) return null
  expectFree(context, checked)
  return [{ kind: 'identity', account: account.slot, ...checked }]
}

export function setLimits(account: AccountRecord, limits: RateLimits | null): Transaction {
  expectNotClosed(account)
  return [{ kind: 'limits', account: account.slot, limits: checkLimits(limits) }]
}

export function setLowBalance(account: AccountRecord, micros: number | null): Transaction {
  expectNotClosed(account)
  const lowBalanceMicros = checkMicrosOrNull(micros, 'INVALID_PROFILE')
  return [{ kind: 'profile', account: account.slot, lowBalanceMicros }]
}

/** Sets the note that only operators see, also of a closed account; `''` removes it. */
export function setNote(account: AccountRecord, note: string): Transaction {
  return [{ kind: 'note', account: account.slot, note: checkAccountNote(note) }]
}

/** Returns the command that suspends or resumes the keys of an account. A repetition changes nothing. */
export function changeStanding(kind: 'suspended' | 'resumed') {
  return (account: AccountRecord, input: string): Transaction | null => {
    const reason = checkReason(input)
    expectNotClosed(account)
    if ((account.standing === null) === (kind === 'resumed')) return null
    return [{ kind, account: account.slot, reason, by: presentActor().name }]
  }
}

export function expectActive(account: AccountRecord): void {
  expectNotClosed(account)
  if (account.standing !== null)
    throw new AccountError('ACCOUNT_SUSPENDED', `The account ${account.id} is suspended. Resume it first.`)
}

/** @throws ACCOUNT_CLOSED */
export function expectNotClosed(account: { id: string; standing: { state: string } | null }): void {
  if (account.standing?.state === 'closed')
    throw new AccountError('ACCOUNT_CLOSED', `The account ${account.id} is closed, which is final.`)
}

function expectFree(context: CommandContext, { issuer, subject }: Identity): void {
  if (!context.book.byIdentity.has(identityKey(issuer, subject))) return
  throw new AccountError('IDENTITY_TAKEN', 'This sign-in belongs to another account.')
}
