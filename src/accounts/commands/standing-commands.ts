/**
 * Suspending, resuming and closing accounts. The keys of an account that is suspended or closed are refused as revoked ones
 * are, by the same word in the live state, while their own state stays what it was.
 */
import type { AccountRecord } from '../../ledger/book/record.ts'
import { presentActor } from '../actor.ts'
import { AccountError } from '../errors.ts'
import type { CommandContext } from './command-context.ts'
import { checkReason } from './input.ts'

/** The next request with any key of the account is refused; resolves when that is durable. Suspending twice changes nothing. @throws ACCOUNT_CLOSED, INVALID_REASON */
export async function suspendAccount(
  context: CommandContext,
  idOrEmail: string,
  reason: string,
): Promise<AccountRecord> {
  const text = checkReason(reason)
  const account = context.account(idOrEmail)
  expectNotClosed(account)
  if (account.standing !== null) {
    await context.settled()
    return account
  }
  const by = presentActor().name
  const done = context.commit({ kind: 'suspended', account: account.slot, reason: text, by })
  context.registry.renewStanding(account)
  await done
  context.listeners.notify('account', account.id)
  return account
}

/** Lets the keys that are not revoked work again, once that is durable. Resuming an active account changes nothing. @throws ACCOUNT_CLOSED, INVALID_REASON */
export async function resumeAccount(
  context: CommandContext,
  idOrEmail: string,
  reason: string,
): Promise<AccountRecord> {
  const text = checkReason(reason)
  const account = context.account(idOrEmail)
  expectNotClosed(account)
  if (account.standing === null) {
    await context.settled()
    return account
  }
  await context.commit({ kind: 'resumed', account: account.slot, reason: text, by: presentActor().name })
  // Another command may have suspended it again meanwhile: what counts is what the book says now.
  context.registry.renewStanding(account)
  context.listeners.notify('account', account.id)
  return account
}

/**
 * Refuses all keys for good, and takes what is left of the balance by an entry of the statement: whoever is to get it back
 * is refunded before. A debt stays. Closing twice changes nothing. @throws REFERENCE_CONFLICT, INVALID_REASON
 */
export async function closeAccount(
  context: CommandContext,
  idOrEmail: string,
  reason: string,
): Promise<AccountRecord> {
  const text = checkReason(reason)
  const account = context.account(idOrEmail)
  if (account.standing?.state === 'closed') {
    await context.settled()
    return account
  }
  const reference = `closed:${account.id}`
  if (context.ledger.book.references.has(reference))
    throw new AccountError('REFERENCE_CONFLICT', `The reference ${reference} belongs to another entry.`)
  // First, so that no thread charges it while the entry is written.
  const takenMicros = context.registry.takeAvailable(account, Number.POSITIVE_INFINITY)
  let done: Promise<void>
  try {
    const by = presentActor().name
    done = context.commit({
      kind: 'closed',
      account: account.slot,
      takenMicros,
      reference,
      reason: text,
      by,
    })
  } catch (error) {
    context.registry.addAvailable(account, takenMicros)
    throw error
  }
  context.registry.renewStanding(account)
  await done
  context.listeners.notify('account', account.id)
  return account
}

/** @throws ACCOUNT_SUSPENDED, ACCOUNT_CLOSED */
export function expectActive(account: AccountRecord): void {
  expectNotClosed(account)
  if (account.standing !== null)
    throw new AccountError('ACCOUNT_SUSPENDED', `The account ${account.id} is suspended: resume it first.`)
}

function expectNotClosed(account: AccountRecord): void {
  if (account.standing?.state === 'closed')
    throw new AccountError('ACCOUNT_CLOSED', `The account ${account.id} is closed, which is final.`)
}
