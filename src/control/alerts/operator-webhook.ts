/** Sends a message to the operator's webhook when a balance falls below its owner's threshold. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountView } from '../../accounts/views.ts'
import { dollars } from '../../money.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import { type KeyedParts, openKeyedStore } from '../store/keyed-store.ts'
import { sendWebhook } from './webhook.ts'

/** Waits before the second and the third attempt. */
const RETRY_MS = [5000, MINUTE_MS]
/** Maximum number of messages in flight. */
const MESSAGES_MAX = 1000

interface WatchParts extends KeyedParts {
  accounts: Accounts
}

/**
 * Watches all accounts until the returned function is called. Each fall has one message: the balance must rise above the
 * threshold before the next. The start announces balances that fell while no server ran.
 */
export async function watchLowBalances(
  parts: WatchParts,
  target: { url: string; secret: string },
): Promise<() => Promise<void>> {
  const { accounts, log } = parts
  const announced = await openKeyedStore(parts, 'low-balances', z.literal(true))
  const sending = new Set<string>()
  const closing = new AbortController()
  const logFailure = (err: unknown) =>
    log.error({ err }, 'an announcement of a low balance was not recorded: it may be sent twice')

  const announce = async (account: AccountView) => {
    const { id } = account
    sending.add(id)
    for (const waitMs of [0, ...RETRY_MS]) {
      // A retry must not keep a stopping server alive.
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
    if (!closing.signal.aborted && isLow(accounts.account(id))) await announced.set(id, true)
  }
  const check = (id: string) => {
    const account = accounts.account(id)
    if (!isLow(account)) announced.delete(id).catch(logFailure)
    // Moving the threshold up and down must not flood the receiver or fill the memory.
    else if (announced.get(id) === undefined && !sending.has(id) && sending.size < MESSAGES_MAX)
      announce(account).catch(logFailure)
  }

  const stop = accounts.onChange(ids => {
    for (const id of ids) check(id)
  })
  for (const { id } of accounts.listAccounts()) check(id)
  return async () => {
    stop()
    closing.abort()
    await announced.close()
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
