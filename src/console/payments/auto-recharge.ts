/**
 * Recharges accounts with a saved card at Stripe when their balance falls below their threshold.
 *
 *     below the threshold
 *            |
 *            v          written and synced before Stripe is asked
 *         attempt ----------------------> asked ----> paid ------> credited, once for each id ----> none
 *                                         |  ^  \
 *                       not known, or     |  |   `--> refused ---> turned off, with an alert
 *                       not decided       v  | asked again, with the same key
 *                                        waits
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type Stripe from 'stripe'
import type { Accounts, CreditResult } from '../../billing/accounts/accounts.ts'
import { actingAs } from '../../billing/accounts/actor.ts'
import { SHUTDOWN_GRACE_MS } from '../../platform/limits.ts'
import type { Log } from '../../platform/log.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts'
import { watchAccounts } from '../account-watch.ts'
import type { Alerts } from '../alerts/alerts.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { type KeyedParts, lostText, openKeyedStore } from '../store/keyed-store.ts'
import { money, utcMinute, utcMonth } from '../words.ts'
import type { Attempt, Outcome, Plan } from './auto-payment.ts'
import { beginAttempt, findPayment, isDue, NO_PLAN, PLAN, pay } from './auto-payment.ts'
import { STRIPE } from './checkout.ts'

const ROUND_MS = 500
const CHECKS_PER_ROUND = 500
/** Maximum number of accounts with a request at Stripe. */
const IN_FLIGHT_MAX = 8
/** Times between requests for an unknown outcome. The last one repeats. */
const RETRY_MS = [5000, MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS] as const
/** Maximum age of an attempt with an unknown outcome: Stripe forgets its idempotency key after 24 hours. */
export const RECHARGE_UNKNOWN_MS_MAX = 20 * HOUR_MS
/** Note of a payment. */
export const AUTOMATIC = 'automatic recharge'

interface AutoRechargeParts extends KeyedParts {
  accounts: Accounts
  stripe: Stripe
  alerts: Pick<Alerts, 'report' | 'addEmailAlert'>
  audit: Pick<AuditLog, 'record' | 'has'>
  log: Log
  retryMs?: readonly number[]
  roundMs?: number
  nowMs?: () => number
}

export type AutoRecharge = Awaited<ReturnType<typeof openAutoRecharge>>

export async function openAutoRecharge(parts: AutoRechargeParts) {
  const { accounts, stripe, alerts, audit, log } = parts
  const { retryMs = RETRY_MS, roundMs = ROUND_MS, nowMs: clockMs = Date.now } = parts
  const plans = await openKeyedStore(parts, 'recharges', PLAN)
  if (plans.isNew && (await audit.has('recharge')))
    log.warn({ file: 'recharges.jsonl' }, lostText('recharges'))
  const attempts = new Set<string>()
  const inFlight = new Map<string, Promise<void>>()
  let isClosed = false
  for (const [id, { attempt }] of plans.entries()) if (attempt !== null) attempts.add(id)
  const isWatched = (id: string) => plans.get(id)?.isOn === true
  const watch = watchAccounts({
    accounts,
    log,
    watched: () => [...plans.keys()].filter(isWatched),
    isWatched,
    check,
    afterRound: askDue,
    roundMs,
    checksPerRound: CHECKS_PER_ROUND,
    nowMs: clockMs,
  })

  const planOf = (account: string): Plan => plans.get(account) ?? NO_PLAN

  async function change(account: string, fields: Partial<Omit<Plan, 'attempt'>>): Promise<void> {
    await plans.set(account, { ...planOf(account), ...fields })
    if (fields.card) audit.record({ what: 'recharge', account, details: { saved: fields.card.text } })
    watch.mark(account)
  }

  /** Credits a payment, once for each of Stripe's ids. @throws AccountError */
  async function credit(account: string, micros: number, intent: string): Promise<CreditResult> {
    const payment = { account, micros, reference: `stripe:${intent}` }
    const result = await accounts.credit({ ...payment, kind: 'payment', note: AUTOMATIC })
    log.info({ ...payment, applied: result.applied }, 'automatic recharge credited')
    if (result.applied)
      alerts.report(account, 'recharge.done', `${money(micros)} were paid with your saved card.`)
    return result
  }

  function askDue(nowMs: number): void {
    for (const id of attempts) {
      if (inFlight.size >= IN_FLIGHT_MAX) return
      const { attempt } = planOf(id)
      if (attempt === null || nowMs < attempt.nextMs || inFlight.has(id)) continue
      const work = askStripe(id, attempt)
        .catch(err => log.error({ err, account: id }, 'automatic recharge failed: it is retried'))
        .finally(() => inFlight.delete(id))
      inFlight.set(id, work)
    }
  }

  /** Begins a payment if one is due. An account has one payment at a time. */
  function check(id: string, nowMs: number): void {
    const account = accounts.account(id)
    const plan = planOf(id)
    if (account === undefined || !isDue(plan, account)) return
    const next = beginAttempt(plan, nowMs)
    const boundMonth = utcMonth(nowMs)
    if (next !== null) attempts.add(id)
    else {
      if (plan.boundMonth === boundMonth) return
      const text = `The balance is below ${money(plan.thresholdMicros)} and was not recharged, because that would exceed the bound of ${money(plan.monthMaxMicros)} a month.`
      alerts.report(id, 'recharge.failed', text)
    }
    plans
      .set(id, next ?? { ...plan, boundMonth })
      .catch(err => log.error({ err, account: id }, 'the plan of automatic recharges could not be written'))
  }

  async function askStripe(id: string, attempt: Attempt): Promise<void> {
    const nowMs = clockMs()
    const { id: recharge, micros, startedMs } = attempt
    if (attempt.intent === null && attempt.tries > 0 && nowMs - startedMs > RECHARGE_UNKNOWN_MS_MAX) {
      const details = { account: id, recharge, micros }
      log.error(details, 'outcome of an automatic recharge unknown: check at Stripe if it was paid')
      // It may have been paid, so it still counts for the month.
      const reason = 'The payment provider did not say whether the last payment was made.'
      return turnOff(id, attempt, reason, true)
    }
    const isStillDue = staysDue(id, attempt)
    if (attempt.tries === 0 && !isStillDue) return update(id, attempt, withoutPayment(id, attempt))
    const waitMs = retryMs[Math.min(attempt.tries, retryMs.length - 1)]
    const asked = { ...attempt, tries: attempt.tries + 1, nextMs: nowMs + waitMs }
    await plans.set(id, { ...planOf(id), attempt: asked })
    if (isClosed) return
    const isWanted = isStillDue || attempt.intent !== null
    const outcome = await (isWanted ? pay : findPayment)(stripe, id, asked).catch((error: unknown) => {
      log.warn({ account: id, recharge: attempt.id, err: error }, 'automatic recharge: outcome not known yet')
      return undefined
    })
    if (outcome === null) await update(id, asked, withoutPayment(id, asked))
    else if (outcome !== undefined) await settle(id, asked, outcome)
  }

  /** Ends an attempt. The answer and a message may report it at the same time, with the same effect. */
  async function settle(id: string, attempt: Attempt, outcome: Outcome): Promise<void> {
    switch (outcome.state) {
      case 'waiting':
        return update(id, attempt, { attempt: { ...attempt, intent: outcome.intent } })
      case 'paid':
        await actingAs(STRIPE, () => credit(id, attempt.micros, outcome.intent))
        return update(id, attempt, { attempt: null, problem: '' })
      case 'refused':
        // A payment that cannot be cancelled has ended.
        if (outcome.intent !== null) await stripe.paymentIntents.cancel(outcome.intent).catch(() => {})
        return turnOff(id, attempt, outcome.reason)
      default:
        outcome satisfies never
    }
  }

  /** False if recharges were turned off, the card was removed or the balance rose since the attempt began. */
  function staysDue(id: string, { card }: Attempt): boolean {
    const account = accounts.account(id)
    const plan = { ...planOf(id), attempt: null }
    return account !== undefined && plan.card?.id === card && isDue(plan, account)
  }

  /** Returns the change that ends an attempt without a payment: it no longer counts for the month. */
  function withoutPayment(id: string, { micros }: Attempt) {
    return { attempt: null, monthMicros: Math.max(0, planOf(id).monthMicros - micros) }
  }

  /** @param isCounted true if the attempt still counts for the month */
  async function turnOff(id: string, attempt: Attempt, reason: string, isCounted = false): Promise<void> {
    const { id: recharge, micros } = attempt
    if (planOf(id).attempt?.id !== recharge) return
    const payment = money(micros)
    const when = `${utcMinute(clockMs())} UTC`
    const problem = `Automatic recharge was turned off on ${when}. A payment of ${payment} failed. ${reason}`
    const ended = isCounted ? { attempt: null } : withoutPayment(id, attempt)
    await update(id, attempt, { ...ended, isOn: false, problem })
    log.warn({ account: id, recharge, reason }, 'automatic recharge refused')
    const details = { turned: 'off', payment, reason }
    audit.record({ what: 'recharge', account: id, actor: STRIPE, details })
    alerts.report(id, 'recharge.failed', problem)
  }

  /** Changes a plan, unless the attempt has ended meanwhile. */
  async function update(id: string, { id: recharge }: Attempt, fields: Partial<Plan>): Promise<void> {
    const plan = planOf(id)
    if (plan.attempt?.id !== recharge) return
    if (fields.attempt === null) attempts.delete(id)
    watch.mark(id)
    await plans.set(id, { ...plan, ...fields })
  }

  return {
    planOf,
    change,
    credit,
    /** Stops, and waits for answers of Stripe. The next start asks for open attempts. */
    async close(): Promise<void> {
      isClosed = true
      watch.close()
      const grace = new AbortController()
      // After a slower answer, the next start asks again with the same key.
      const patience = sleep(SHUTDOWN_GRACE_MS, undefined, { signal: grace.signal }).catch(() => {})
      await Promise.race([Promise.all(inFlight.values()), patience])
      grace.abort()
      await plans.close()
    },
    /** Also turns alerts for failed recharges on. The amount must be at least the threshold. */
    async turnOn(
      account: string,
      amounts: Pick<Plan, 'thresholdMicros' | 'amountMicros' | 'monthMaxMicros'>,
    ): Promise<void> {
      const wasOn = planOf(account).isOn
      await change(account, { ...amounts, isOn: true, problem: '', boundMonth: '' })
      // So that the next page already says that a payment is being made.
      check(account, clockMs())
      if (!wasOn) await alerts.addEmailAlert(account, 'recharge.failed')
    },
    async settleReported(account: string, recharge: string, outcome: Outcome): Promise<void> {
      const { attempt } = planOf(account)
      if (attempt?.id === recharge) await settle(account, attempt, outcome)
    },
  }
}
