/** Sends the operator's own system a message when a balance falls below the threshold that its owner has set. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Accounts } from '../../accounts/accounts.ts'
import type { AccountView } from '../../accounts/views.ts'
import { dollars } from '../../money.ts'
import type { Log } from '../../platform/log.ts'
import { signature } from '../alerts/webhook.ts'
import { LOW_BALANCE_MESSAGES_MAX } from '../limits.ts'

/** Milliseconds before the second and the third attempt. */
const RETRY_MS = [5000, 60_000]

export interface WebhookTarget {
  url: string
  secret: string
}

/** Watches until the returned function is called. One message per fall: the balance must rise above before the next. */
export function watchLowBalances(accounts: Accounts, target: WebhookTarget, log: Log): () => void {
  const low = new Set(
    accounts
      .listAccounts()
      .filter(isLow)
      .map(account => account.id),
  )
  /** Accounts whose message is on its way. */
  const sending = new Set<string>()
  const announce = async (account: AccountView) => {
    // Whoever moves the threshold up and down must neither flood the receiver nor fill the memory.
    if (sending.has(account.id)) return
    if (sending.size >= LOW_BALANCE_MESSAGES_MAX) {
      log.warn({ account: account.id }, 'low balance message dropped: too many are on their way')
      return
    }
    sending.add(account.id)
    await send(account, target, log).finally(() => sending.delete(account.id))
  }
  return accounts.onChange(({ accounts: ids }) => {
    for (const id of ids) {
      const account = accounts.account(id)
      if (account === undefined || !isLow(account)) low.delete(id)
      else if (!low.has(id)) {
        low.add(id)
        void announce(account)
      }
    }
  })
}

function isLow({ balanceMicros, lowBalanceMicros }: AccountView): boolean {
  return lowBalanceMicros !== null && balanceMicros < lowBalanceMicros
}

async function send(account: AccountView, target: WebhookTarget, log: Log): Promise<void> {
  const { id, email, balanceMicros, lowBalanceMicros } = account
  const body = JSON.stringify({
    type: 'balance.low',
    account: id,
    email,
    balance: dollars(balanceMicros),
    threshold: lowBalanceMicros === null ? null : dollars(lowBalanceMicros),
  })
  for (const waitMs of [...RETRY_MS, null]) {
    const headers = {
      'Content-Type': 'application/json',
      'Postrie-Signature': signature(body, target.secret),
    }
    try {
      // A redirect would take the signed message to a host that the operator has not named.
      const signal = AbortSignal.timeout(10_000)
      const response = await fetch(target.url, { method: 'POST', headers, body, signal, redirect: 'manual' })
      await response.body?.cancel()
      const { status } = response
      if (status < 300) return
      log.warn({ account: id, status }, 'low balance message refused')
    } catch (error) {
      log.warn({ account: id, err: error }, 'low balance message not delivered')
    }
    if (waitMs === null) return
    // Unreferenced: a message that nobody accepts must not keep a stopping server alive.
    await sleep(waitMs, undefined, { ref: false })
  }
}
