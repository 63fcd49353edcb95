/** Credits and debits. An account has a balance or a debt, never both: later credits pay the debt first. */

import type { AccountRecord } from '../../ledger/book/record.ts'
import type { AdjustmentKind, CreditKind } from '../../ledger/event.ts'
import { AccountError } from '../account-error.ts'
import type { Debit, Transaction } from '../account-store.ts'
import { presentActor, THE_SERVICE } from '../actor.ts'
import type { Views } from '../views.ts'
import { expectNotClosed } from './change-account.ts'
import { checkAmount, checkNote, checkReason, checkReference } from './checked-input.ts'
import type { CommandContext } from './run-command.ts'

export interface CreditRequest {
  account: string
  /** 1 to CREDIT_MAX_MICROS. */
  micros: number
  /** Text of 1 to REFERENCE_LENGTH_MAX characters, unique over all accounts: a reference is applied once. */
  reference: string
  kind: CreditKind
  note?: string
  /** Reference of the payment that is taken back, or given back again. */
  payment?: string
}

type AdjustRequest = Omit<CreditRequest, 'kind'> & { kind: AdjustmentKind }

/** Sum of all credits of one account: $4.5 billion, half of the largest exact double. */
export const CREDITED_MAX_MICROS = 4_500_000_000_000_000

type Decide = (debit: Debit) => Transaction | null

export function balanceCommands(context: CommandContext, { ofAccount }: Views) {
  const { book, expectAccount, findAccount } = context

  /** `applied` is false if the reference was already applied, with the same amount to the same account. */
  async function change(id: string, decide: Decide, debited?: AccountRecord) {
    const events = await context.run(decide, debited)
    const { balanceMicros, debtMicros } = ofAccount(expectAccount(id))
    return { applied: events !== null, balanceMicros, debtMicros }
  }

  /**
   * Takes up to `micros` of the balance for a debit of the same turn. Returns the taken micros.
   *
   * 1. An account has 100. A thread charges 28, which only the meter has. A refund of 100 comes.
   * 2. The other 72 are taken here, so that no thread charges them.
   * 3. The ledger gets the 28, and then the refund: it takes 72, and 28 become debt. The book keeps no balance.
   */
  function take(debit: Debit, account: AccountRecord, micros: number): number {
    const takenMicros = debit(account, micros)
    context.bookCharges(account)
    return takenMicros
  }

  function isApplied(account: AccountRecord, reference: string, signedMicros: number): boolean {
    const used = book.references.get(reference)
    if (used === undefined) return false
    if (used.account === account && used.entry.balanceMicros - used.entry.debtMicros === signedMicros)
      return true
    throw conflict(reference)
  }

  return {
    /** Credits an account. The money may be spent once it is durable. @throws BALANCE_TOO_HIGH, … */
    credit(request: CreditRequest) {
      const decide: Decide = () => {
        const input = checkRequest(request)
        const account = expectAccount(request.account)
        const { slot, debtMicros, creditedMicros } = account
        if (isApplied(account, input.reference, input.micros)) return null
        // Money that has arrived is also credited to a closed account: only a refund can return it.
        if (request.kind !== 'payment' && request.kind !== 'reinstated') expectNotClosed(account)
        if (creditedMicros + input.micros > CREDITED_MAX_MICROS)
          throw new AccountError(
            'BALANCE_TOO_HIGH',
            `${account.id} cannot be credited more: a sum of credits is at most ${CREDITED_MAX_MICROS} micro-dollars.`,
          )
        const debtPaidMicros = Math.min(debtMicros, input.micros)
        return [{ kind: 'credit', account: slot, debtPaidMicros, credit: request.kind, ...input }]
      }
      return change(request.account, decide)
    },
    adjust(request: AdjustRequest) {
      const decide: Decide = debit => {
        const input = checkRequest(request)
        const account = expectAccount(request.account)
        if (isApplied(account, input.reference, -input.micros)) return null
        const takenMicros = take(debit, account, input.micros)
        return [{ kind: 'adjust', account: account.slot, takenMicros, adjust: request.kind, ...input }]
      }
      return change(request.account, decide, findAccount(request.account))
    },
    /** Refuses all keys for ever, and takes the balance. A debt stays. A repetition returns the same micros. */
    async closeAccount(id: string, input: string) {
      const decide: Decide = debit => {
        const account = expectAccount(id)
        const reason = checkReason(input)
        const reference = `closed:${account.id}`
        if (account.standing?.state === 'closed') return null
        if (book.references.has(reference)) throw conflict(reference)
        const takenMicros = take(debit, account, Number.POSITIVE_INFINITY)
        const by = presentActor().name
        return [{ kind: 'closed', account: account.slot, takenMicros, reference, reason, by }]
      }
      await change(id, decide, findAccount(id))
      const account = expectAccount(id)
      const takenMicros = -(account.entries.findLast(({ kind }) => kind === 'closed')?.balanceMicros ?? 0)
      return { ...ofAccount(account), takenMicros }
    },
  }
}

function conflict(reference: string): AccountError {
  return new AccountError('REFERENCE_CONFLICT', `The reference ${reference} belongs to another entry.`)
}

function checkRequest({ micros, reference, note = '', payment }: CreditRequest | AdjustRequest) {
  const actor = presentActor()
  return {
    micros: checkAmount(micros),
    reference: checkReference(reference),
    note: checkNote(note),
    ...(payment === undefined ? {} : { payment: checkReference(payment) }),
    ...(actor === THE_SERVICE ? {} : { by: actor.name }),
  }
}
