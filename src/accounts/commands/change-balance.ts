/** Money in and out. A refund or dispute beyond the balance leaves a debt, which later credits pay first: no balance is negative. */
import type { AccountRecord } from '../../ledger/book/record.ts'
import { ADJUSTMENT_KINDS, CREDIT_KINDS } from '../../ledger/event.ts'
import { CREDITED_MAX_MICROS } from '../../limits.ts'
import { AccountError } from '../account-error.ts'
import { presentActor, THE_SERVICE } from '../actor.ts'
import type { AdjustRequest, CreditRequest, CreditResult } from '../views.ts'
import { checkAmount, checkKind, checkNote, checkReference } from './checked-input.ts'
import type { CommandContext } from './command-context.ts'

/** Adds money, which may be spent once it is durable. @throws REFERENCE_CONFLICT, BALANCE_TOO_HIGH, INVALID_… */
export async function credit(context: CommandContext, request: CreditRequest): Promise<CreditResult> {
  const input = checked(request)
  const kind = checkKind(request.kind, CREDIT_KINDS)
  const account = context.account(request.account)
  if (isApplied(context, account, input.reference, input.micros)) return applied(context, account, false)
  if (account.creditedMicros + input.micros > CREDITED_MAX_MICROS)
    throw new AccountError(
      'BALANCE_TOO_HIGH',
      `${account.id} would have been credited more than can be counted.`,
    )
  const debtPaidMicros = Math.min(account.debtMicros, input.micros)
  const effect = { account: account.slot, debtPaidMicros, credit: kind }
  await context.commit({ kind: 'credit', ...effect, ...input })
  return applied(context, account, true)
}

export async function adjust(context: CommandContext, request: AdjustRequest): Promise<CreditResult> {
  const input = checked(request)
  const kind = checkKind(request.kind, ADJUSTMENT_KINDS)
  const account = context.account(request.account)
  if (isApplied(context, account, input.reference, -input.micros)) return applied(context, account, false)
  await taking(context, account, input.micros, takenMicros =>
    context.commit({ kind: 'adjust', account: account.slot, takenMicros, adjust: kind, ...input }),
  )
  return applied(context, account, true)
}

/** Takes the money before its entry is written, so that no thread charges it meanwhile. It comes back if the entry is refused. */
export function taking(
  { registry }: CommandContext,
  account: AccountRecord,
  micros: number,
  commit: (takenMicros: number) => Promise<void>,
): Promise<void> {
  const takenMicros = registry.balances.take(account, micros)
  try {
    return commit(takenMicros)
  } catch (error) {
    registry.balances.add(account, takenMicros)
    throw error
  }
}

function isApplied(
  { book }: CommandContext,
  account: AccountRecord,
  reference: string,
  signedMicros: number,
): boolean {
  const used = book.references.get(reference)
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
  if (!isNew) await context.commit()
  return {
    applied: isNew,
    balanceMicros: context.registry.balances.available(account),
    debtMicros: account.debtMicros,
  }
}

function checked({ micros, reference, note = '' }: CreditRequest | AdjustRequest) {
  const actor = presentActor()
  return {
    micros: checkAmount(micros),
    reference: checkReference(reference),
    note: checkNote(note),
    ...(actor === THE_SERVICE ? {} : { by: actor.name }),
  }
}
