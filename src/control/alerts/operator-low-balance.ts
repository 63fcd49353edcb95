/** Sends the operator's own system a message when a balance falls below the threshold that its owner has set. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountView } from '../../accounts/views.ts'
import { dollars } from '../../money.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import { type KeyedParts, KeyedStore } from '../store/keyed-store.ts'
import { sendWebhook } from './webhook.ts'

const RETRY_MS = [5000, MINUTE_MS]
const MESSAGES_MAX = 1000

interface WatchParts extends KeyedParts {
  accounts: Accounts
}

/**
 * Watches all accounts until the returned function is called. There is one message for each fall: the balance must rise above
 * the threshold before the next. Balances that have fallen while nobody watched are announced at the start.
 */
export async function watchLowBalances(
  parts: WatchParts,
  target: { url: string; secret: string },
): Promise<() => Promise<void>> {
  const { accounts, log } = parts
  const told = await KeyedStore.open(parts, 'low-balances', z.literal(true))
  const sending = new Set<string>()
  const closing = new AbortController()
  const failed = (err: unknown) =>
    log.error({ err }, 'a low balance was not noted and may be announced twice')

  const announce = async (account: AccountView) => {
    const { id } = account
    sending.add(id)
    for (const waitMs of [0, ...RETRY_MS]) {
      // Unreferenced: a message that nobody accepts must not keep a stopping server alive.
      if (waitMs > 0) await sleep(waitMs, undefined, { ref: false })
      if (closing.signal.aborted) return
      try {
        await sendWebhook(target, messageOf(account), { allowPrivate: true, closing: closing.signal })
        break
      } catch (err) {
        log.warn({ account: id, err }, 'low balance message not delivered')
      }
    }
    sending.delete(id)
    if (!closing.signal.aborted && isLow(accounts.account(id))) await told.set(id, true)
  }
  const look = (id: string) => {
    const account = accounts.account(id)
    if (!isLow(account)) told.delete(id).catch(failed)
    // Whoever moves the threshold up and down must neither flood the receiver nor fill the memory.
    else if (told.get(id) === undefined && !sending.has(id) && sending.size < MESSAGES_MAX)
      announce(account).catch(failed)
  }

  const stop = accounts.onChange(ids => {
    for (const id of ids) look(id)
  })
  for (const { id } of accounts.listAccounts()) look(id)
  return async () => {
    stop()
    closing.abort()
    await told.close()
  }
}

function isLow(account: AccountView | undefined): account is AccountView {
  return (
    account != null && account.lowBalanceMicros !== null && account.balanceMicros < account.lowBalanceMicros
  )
}

function messageOf({ id, email, balanceMicros, lowBalanceMicros }: AccountView): {
  id: string
  body: string
} {
  const body = JSON.stringify({
    type: 'balance.low',
    account: id,
    email,
    balance: dollars(balanceMicros),
    threshold: dollars(lowBalanceMicros ?? 0),
  })
  return { id: randomUUID(), body }
}
