import { identityKey } from '../../ledger/book/book.ts'
import type { AccountRecord, Identity } from '../../ledger/book/record.ts'
import type { EventOf, LedgerEvent, RateLimits } from '../../ledger/event.ts'
import { NEW_ACCOUNT_CREDIT_MICROS } from '../../money.ts'
import { AccountError } from '../account-error.ts'
import { presentActor } from '../actor.ts'
import { randomText } from '../secret.ts'
import type { Views } from '../views.ts'
import {
  checkAccountNote,
  checkEmail,
  checkIdentity,
  checkLimits,
  checkMicrosOrNull,
  checkReason,
  unverifiedName,
} from './checked-input.ts'
import { type CommandContext, commandsOn } from './run-command.ts'

export interface NewAccount {
  email: string
  freeCredit?: boolean
  identity?: Identity
  /** True if no provider vouches that `email` belongs to `identity`. The email is then only a label. */
  isUnverified?: boolean
}

export function accountCommands(context: CommandContext, { ofAccount }: Views) {
  const { book, run, accountsMax } = context
  const onAccount = commandsOn(context, context.expectAccount, ofAccount)

  function expectFree({ issuer, subject }: Identity): void {
    if (!book.byIdentity.has(identityKey(issuer, subject))) return
    throw new AccountError('IDENTITY_TAKEN', 'This sign-in belongs to another account.')
  }

  /** Returns the command that suspends or resumes the keys of an account. A repetition changes nothing. */
  const changeStanding = (kind: 'suspended' | 'resumed') =>
    onAccount((account, input: string) => {
      const reason = checkReason(input)
      expectNotClosed(account)
      if ((account.standing === null) === (kind === 'resumed')) return null
      return [{ kind, account: account.slot, reason, by: presentActor().name }]
    })

  function opening(options: NewAccount): [EventOf<'account'>, ...LedgerEvent[]] {
    const identity = options.identity && checkIdentity(options.identity)
    const email =
      identity && options.isUnverified === true
        ? unverifiedName(options.email, identity.issuer, identity.subject)
        : checkEmail(options.email)
    if (book.byEmail.has(email)) throw new AccountError('EMAIL_TAKEN', `${email} already has an account.`)
    if (book.accounts.size >= accountsMax)
      throw new AccountError(
        'TOO_MANY_ACCOUNTS',
        `This service holds at most ${accountsMax} accounts. Raise ACCOUNTS_MAX.`,
      )
    if (identity) expectFree(identity)
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

  return {
    /** Creates an account with its free credit and sign-in. @throws EMAIL_TAKEN, IDENTITY_TAKEN, … */
    async createAccount(options: NewAccount) {
      const [{ slot }] = await run(() => opening(options))
      return ofAccount(book.account(slot))
    },
    /** Links a sign-in to an account. A repetition changes nothing. @throws IDENTITY_TAKEN */
    linkIdentity: onAccount((account, input: Identity) => {
      const identity = checkIdentity(input)
      if (book.byIdentity.get(identityKey(identity.issuer, identity.subject)) === account) return null
      expectFree(identity)
      return [{ kind: 'identity', account: account.slot, ...identity }]
    }),
    setLimits: onAccount((account, limits: RateLimits | null) => {
      expectNotClosed(account)
      return [{ kind: 'limits', account: account.slot, limits: checkLimits(limits) }]
    }),
    setLowBalance: onAccount((account, micros: number | null) => {
      expectNotClosed(account)
      const lowBalanceMicros = checkMicrosOrNull(micros, 'INVALID_PROFILE')
      return [{ kind: 'profile', account: account.slot, lowBalanceMicros }]
    }),
    /** Sets the note that only operators see, also of a closed account; `''` removes it. */
    setNote: onAccount((account, note: string) => [
      { kind: 'note', account: account.slot, note: checkAccountNote(note) },
    ]),
    suspend: changeStanding('suspended'),
    resume: changeStanding('resumed'),
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
