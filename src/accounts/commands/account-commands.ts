import { identityKey } from '../../ledger/book/book.ts'
import type { AccountRecord } from '../../ledger/book/record.ts'
import type { LedgerEvent } from '../../ledger/event.ts'
import { ACCOUNTS_MAX, NEW_ACCOUNT_CREDIT_MICROS } from '../../limits.ts'
import { AccountError } from '../errors.ts'
import { randomText } from '../secret.ts'
import type { RateLimits } from '../types.ts'
import type { CommandContext } from './command-context.ts'
import { checkEmail, checkIdentity, checkLimits, checkThreshold } from './input.ts'
import { unverifiedName } from './unverified-name.ts'

export interface NewAccount {
  email: string
  /** Give the free credit of a new account. Default true. */
  freeCredit?: boolean
  /** Links a sign-in at once. */
  identity?: Identity
  /** Nobody vouches that `email` belongs to `identity`: it becomes a label that does not find the account. */
  isUnverified?: boolean
}

/** Who signed in, in the words of the identity provider. */
export interface Identity {
  issuer: string
  subject: string
}

/** Opens an account, its free credit and its sign-in in one transaction. @throws EMAIL_TAKEN, IDENTITY_TAKEN, … */
export async function createAccount(context: CommandContext, options: NewAccount): Promise<AccountRecord> {
  const { book } = context.ledger
  const identity = options.identity && checkedIdentity(options.identity)
  const email =
    identity && options.isUnverified === true
      ? unverifiedName(options.email, identity.issuer, identity.subject)
      : checkEmail(options.email)
  while (!context.hasRoom) await context.grow()
  if (book.byEmail.has(email)) throw new AccountError('EMAIL_TAKEN', `${email} already has an account.`)
  if (book.accounts.size >= ACCOUNTS_MAX)
    throw new AccountError('TOO_MANY_ACCOUNTS', `This service holds at most ${ACCOUNTS_MAX} accounts.`)
  if (identity) expectFree(context, identity)
  const slot = book.slots.length
  const id = `acct_${randomText(12)}`
  const events: LedgerEvent[] = [{ kind: 'account', slot, id, email }]
  const freeMicros = options.freeCredit === false ? 0 : NEW_ACCOUNT_CREDIT_MICROS
  if (freeMicros > 0) events.push(freeCredit(slot, id, freeMicros))
  if (identity) events.push({ kind: 'identity', account: slot, ...identity })
  await context.commit(...events)
  const account = book.account(slot)
  context.registry.openAccount(account)
  await context.threads.seen()
  context.listeners.notify('account', id)
  return account
}

/** Linking the same pair to the same account again changes nothing. @throws IDENTITY_TAKEN */
export async function linkIdentity(
  context: CommandContext,
  idOrEmail: string,
  identity: Identity,
): Promise<AccountRecord> {
  const checked = checkedIdentity(identity)
  const account = context.account(idOrEmail)
  const { issuer, subject } = checked
  if (context.ledger.book.byIdentity.get(identityKey(issuer, subject)) === account) {
    await context.settled()
    return account
  }
  expectFree(context, checked)
  await context.commit({ kind: 'identity', account: account.slot, issuer, subject })
  context.listeners.notify('account', account.id)
  return account
}

/** Takes effect on the next request. Null switches rate limiting off. */
export async function setLimits(
  context: CommandContext,
  idOrEmail: string,
  limits: RateLimits | null,
): Promise<AccountRecord> {
  const checked = checkLimits(limits)
  const account = context.account(idOrEmail)
  if (checked !== null && context.registry.windowsRow(account) === 0)
    await context.registry.ensureWindows(account, () => context.windowsRow())
  const done = context.commit({ kind: 'limits', account: account.slot, limits: checked })
  context.registry.setLimits(account, checked)
  await done
  context.listeners.notify('limits', account.id)
  return account
}

export async function setLowBalance(
  context: CommandContext,
  idOrEmail: string,
  micros: number | null,
): Promise<AccountRecord> {
  const lowBalanceMicros = checkThreshold(micros, 'INVALID_PROFILE')
  const account = context.account(idOrEmail)
  await context.commit({ kind: 'profile', account: account.slot, lowBalanceMicros })
  context.listeners.notify('profile', account.id)
  return account
}

function freeCredit(account: number, id: string, micros: number): LedgerEvent {
  return {
    kind: 'credit',
    account,
    micros,
    debtPaidMicros: 0,
    credit: 'free',
    reference: `free:${id}`,
    note: '',
  }
}

function checkedIdentity({ issuer, subject }: Identity): Identity {
  return { issuer: checkIdentity(issuer), subject: checkIdentity(subject) }
}

function expectFree(context: CommandContext, { issuer, subject }: Identity): void {
  if (!context.ledger.book.byIdentity.has(identityKey(issuer, subject))) return
  throw new AccountError('IDENTITY_TAKEN', 'This sign-in belongs to another account.')
}
