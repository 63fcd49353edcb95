/**
 * Money in and money back. A refund or dispute takes what is available at that moment and records the rest as a debt of
 * the account; later credits pay the debt first. So the ledger holds the full amount, nothing is clamped in silence, and
 * the balance is never negative.
 */
import type { AccountRecord } from '../../ledger/book/record.ts'
import { ADJUSTMENT_KINDS, CREDIT_KINDS } from '../../ledger/event.ts'
import { CREDITED_MAX_MICROS } from '../../limits.ts'
import { presentActor, THE_SERVICE } from '../actor.ts'
import { AccountError } from '../errors.ts'
import type { AdjustRequest, CreditRequest, CreditResult } from '../views.ts'
import type { CommandContext } from './command-context.ts'
import { checkAmount, checkKind, checkNote, checkReference } from './input.ts'

/** Adds money, which may be spent once it is durable. @throws REFERENCE_CONFLICT, BALANCE_TOO_HIGH, INVALID_… */
export async function credit(context: CommandContext, request: CreditRequest): Promise<CreditResult> {
  const { micros, reference, note } = checked(request)
  const kind = checkKind(request.kind, CREDIT_KINDS)
  const account = context.account(request.account)
  if (isApplied(context, account, reference, micros)) return applied(context, account, false)
  if (account.creditedMicros + micros > CREDITED_MAX_MICROS) {
    throw new AccountError(
      'BALANCE_TOO_HIGH',
      `${account.id} would have been credited more than can be counted.`,
    )
  }
  const debtPaidMicros = Math.min(account.debtMicros, micros)
  const slot = account.slot
  await context.commit({
    kind: 'credit',
    account: slot,
    micros,
    debtPaidMicros,
    credit: kind,
    reference,
    note,
    ...named(),
  })
  context.registry.addAvailable(account, micros - debtPaidMicros)
  context.listeners.notify('credit', account.id)
  return applied(context, account, true)
}

/** Takes money back, at once. @throws REFERENCE_CONFLICT, INVALID_… */
export async function adjust(context: CommandContext, request: AdjustRequest): Promise<CreditResult> {
  const { micros, reference, note } = checked(request)
  const kind = checkKind(request.kind, ADJUSTMENT_KINDS)
  const account = context.account(request.account)
  if (isApplied(context, account, reference, -micros)) return applied(context, account, false)
  // First, so that no thread charges it while the entry is written.
  const takenMicros = context.registry.takeAvailable(account, micros)
  const slot = account.slot
  let done: Promise<void>
  try {
    done = context.commit({
      kind: 'adjust',
      account: slot,
      micros,
      takenMicros,
      adjust: kind,
      reference,
      note,
      ...named(),
    })
  } catch (error) {
    context.registry.addAvailable(account, takenMicros)
    throw error
  }
  await done
  context.listeners.notify('credit', account.id)
  return applied(context, account, true)
}

/** Who gives the command, for the entry in the ledger; nothing when the service does. */
function named(): { by?: string } {
  const actor = presentActor()
  return actor === THE_SERVICE ? {} : { by: actor.name }
}

/** Whether this very entry exists. @throws REFERENCE_CONFLICT when the reference belongs to another one */
function isApplied(
  context: CommandContext,
  account: AccountRecord,
  reference: string,
  signedMicros: number,
): boolean {
  const used = context.ledger.book.references.get(reference)
  if (used === undefined) return false
  if (used.account === account && used.entry.balanceMicros - used.entry.debtMicros === signedMicros)
    return true
  throw new AccountError('REFERENCE_CONFLICT', `The reference ${reference} belongs to another entry.`)
}

async function applied(
  context: CommandContext,
  account: AccountRecord,
  isNew: boolean,
): Promise<CreditResult> {
  // The entry that a repetition refers to may still be on its way to the disk.
  if (!isNew) await context.settled()
  return {
    applied: isNew,
    balanceMicros: context.registry.availableMicros(account),
    debtMicros: account.debtMicros,
  }
}

function checked({ micros, reference, note = '' }: CreditRequest | AdjustRequest): {
  micros: number
  reference: string
  note: string
} {
  return { micros: checkAmount(micros), reference: checkReference(reference), note: checkNote(note) }
}
