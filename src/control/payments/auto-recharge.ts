/**
 * Recharges accounts with a saved card at Stripe when their balance falls below their threshold.
 *
 *     below the threshold
 *            |
 *            v          written and synced before Stripe is asked
 *         attempt ----------------------> asked ----> paid ------> credited, once for each of Stripe's ids ----> none
 *                                         |  ^  \
 *                       not known, or     v  |   `--> refused ---> turned off, with an alert
 *                       not decided      waits
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type Stripe from 'stripe'
import type { Accounts } from '../../accounts/accounts.ts'
import { actingAs } from '../../accounts/actor.ts'
import type { CreditResult } from '../../accounts/views.ts'
import { SHUTDOWN_GRACE_MS } from '../../limits.ts'
import type { Log } from '../../platform/log.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts'
import { AccountWatch } from '../account-watch.ts'
import type { Alerts } from '../alerts/alerts.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { KeyedStore, type SharedRows } from '../store/keyed-store.ts'
import { money } from '../words.ts'
import {
  type Attempt,
  beginAttempt,
  cancelPayment,
  charge,
  findCharge,
  isDue,
  monthOf,
  NO_PLAN,
  type Outcome,
  PLAN,
  type Plan,
} from './auto-payment.ts'
import { STRIPE } from './checkout.ts'

const TURN_MS = 500
const CHECKS_PER_TURN = 500
/** Maximum number of accounts with a request at Stripe. */
const IN_FLIGHT_MAX = 8
/** Times between requests for an unknown outcome. The last one repeats. */
const RETRY_MS = [5000, MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS] as const
/**
 * Maximum age of an attempt with an unknown outcome. Stripe keeps an idempotency key for 24 hours. A request after that could
 * charge twice.
 */
export const RECHARGE_UNKNOWN_MS_MAX = 20 * HOUR_MS
const AUTOMATIC = 'automatic recharge'

interface AutoRechargeParts {
  accounts: Accounts
  stripe: Stripe
  alerts: Pick<Alerts, 'report' | 'addEmailAlert'>
  audit: Pick<AuditLog, 'record'>
  log: Log
  dataDir: string
  sharedRows?: SharedRows
  retryMs?: readonly number[]
  turnMs?: number
  nowMs?: () => number
}

export class AutoRecharge {
  readonly #parts: AutoRechargeParts
  readonly #plans: KeyedStore<Plan>
  readonly #nowMs: () => number
  readonly #retryMs: readonly number[]
  readonly #attempts = new Set<string>()
  readonly #inFlight = new Map<string, Promise<void>>()
  readonly #watch: AccountWatch
  #isClosed = false

  private constructor(parts: AutoRechargeParts, plans: KeyedStore<Plan>) {
    const { accounts, log, retryMs = RETRY_MS, turnMs = TURN_MS, nowMs = Date.now } = parts
    this.#parts = parts
    this.#plans = plans
    this.#nowMs = nowMs
    this.#retryMs = retryMs
    for (const [id, { attempt }] of plans.entries()) if (attempt !== null) this.#attempts.add(id)
    const isWatched = (id: string) => plans.get(id)?.isOn === true
    this.#watch = new AccountWatch({
      accounts,
      log,
      watched: () => [...plans.keys()].filter(isWatched),
      isWatched,
      check: (id, nowMs) => this.#check(id, nowMs),
      afterTurn: nowMs => this.#askDue(nowMs),
      turnMs,
      checksPerTurn: CHECKS_PER_TURN,
      nowMs,
    })
  }

  static async open(parts: AutoRechargeParts): Promise<AutoRecharge> {
    return new AutoRecharge(parts, await KeyedStore.open(parts, 'recharges', PLAN))
  }

  /** Stops, and waits for answers of Stripe. The next start asks for open attempts. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#watch.close()
    const grace = new AbortController()
    // After a slower answer, the next start asks again with the same key.
    const patience = sleep(SHUTDOWN_GRACE_MS, undefined, { signal: grace.signal }).catch(() => {})
    await Promise.race([Promise.all(this.#inFlight.values()), patience])
    grace.abort()
    await this.#plans.close()
  }

  planOf(account: string): Plan {
    return this.#plans.get(account) ?? NO_PLAN
  }

  async change(account: string, fields: Partial<Omit<Plan, 'attempt'>>): Promise<void> {
    await this.#plans.set(account, { ...this.planOf(account), ...fields })
    this.#watch.mark(account)
  }

  /** Turns automatic recharges on, and alerts for failed ones. @param amounts with an amount of at least the threshold */
  async turnOn(
    account: string,
    amounts: Pick<Plan, 'thresholdMicros' | 'amountMicros' | 'monthMaxMicros'>,
  ): Promise<void> {
    const wasOn = this.planOf(account).isOn
    await this.change(account, { ...amounts, isOn: true, problem: '', boundMonth: '' })
    if (!wasOn) await this.#parts.alerts.addEmailAlert(account, 'recharge.failed')
  }

  /** Credits a payment, once for each of Stripe's ids. @throws AccountError */
  async credit(account: string, micros: number, intent: string): Promise<CreditResult> {
    const { accounts, alerts, log } = this.#parts
    const payment = { account, micros, reference: `stripe:${intent}` }
    const result = await accounts.credit({ ...payment, kind: 'payment', note: AUTOMATIC })
    log.info({ ...payment, applied: result.applied }, 'automatic recharge credited')
    if (result.applied)
      alerts.report(account, 'recharge.done', `${money(micros)} were paid with your saved card.`)
    return result
  }

  /** Ends the attempt `recharge` after a message of Stripe. */
  async settleReported(account: string, recharge: string, outcome: Outcome): Promise<void> {
    const { attempt } = this.planOf(account)
    if (attempt?.id === recharge) await this.#settle(account, attempt, outcome)
  }

  #askDue(nowMs: number): void {
    for (const id of this.#attempts) {
      if (this.#inFlight.size >= IN_FLIGHT_MAX) return
      const { attempt } = this.planOf(id)
      if (attempt !== null && nowMs >= attempt.nextMs && !this.#inFlight.has(id)) this.#ask(id, attempt)
    }
  }

  /** Begins a payment if one is due. An account has one payment at a time. */
  #check(id: string, nowMs: number): void {
    const account = this.#parts.accounts.account(id)
    const plan = this.planOf(id)
    if (account === undefined || !isDue(plan, account)) return
    const next = beginAttempt(plan, nowMs)
    if (next === null) return this.#reportBound(id, plan, monthOf(nowMs))
    this.#attempts.add(id)
    this.#set(id, next)
  }

  #reportBound(id: string, plan: Plan, month: string): void {
    if (plan.boundMonth === month) return
    this.#set(id, { ...plan, boundMonth: month })
    const text = `The balance is below ${money(plan.thresholdMicros)} and was not recharged, because that would exceed the bound of ${money(plan.monthMaxMicros)} a month.`
    this.#parts.alerts.report(id, 'recharge.failed', text)
  }

  #ask(id: string, attempt: Attempt): void {
    const work = this.#request(id, attempt)
      .catch(err => this.#parts.log.error({ err, account: id }, 'automatic recharge failed: it is retried'))
      .finally(() => this.#inFlight.delete(id))
    this.#inFlight.set(id, work)
  }

  async #request(id: string, attempt: Attempt): Promise<void> {
    const { stripe, log } = this.#parts
    const nowMs = this.#nowMs()
    if (attempt.intent === null && attempt.tries > 0 && nowMs - attempt.startedMs > RECHARGE_UNKNOWN_MS_MAX)
      return this.#giveUp(id, attempt)
    const isStillDue = this.#isStillDue(id, attempt)
    if (attempt.tries === 0 && !isStillDue) return this.#drop(id, attempt)
    const waitMs = this.#retryMs[Math.min(attempt.tries, this.#retryMs.length - 1)]
    const asked = { ...attempt, tries: attempt.tries + 1, nextMs: nowMs + waitMs }
    // If this process ends here, the next one asks with the same key.
    await this.#plans.set(id, { ...this.planOf(id), attempt: asked })
    if (this.#isClosed) return
    const isWanted = isStillDue || attempt.intent !== null
    const outcome = await (isWanted ? charge : findCharge)(stripe, id, asked).catch((error: unknown) => {
      log.warn({ account: id, recharge: attempt.id, err: error }, 'automatic recharge: outcome not known yet')
      return undefined
    })
    if (outcome === null) await this.#drop(id, asked)
    else if (outcome !== undefined) await this.#settle(id, asked, outcome)
  }

  /** Ends an attempt. The answer and a message may report it at the same time, with the same effect. */
  async #settle(id: string, { id: recharge, micros }: Attempt, outcome: Outcome): Promise<void> {
    const { stripe } = this.#parts
    switch (outcome.state) {
      case 'waiting':
        return this.#update(id, recharge, plan => ({
          ...plan,
          attempt: plan.attempt && { ...plan.attempt, intent: outcome.intent },
        }))
      case 'paid':
        await actingAs(STRIPE, () => this.credit(id, micros, outcome.intent))
        return this.#update(id, recharge, plan => ({ ...plan, attempt: null, problem: '' }))
      case 'refused':
        if (outcome.intent !== null) await cancelPayment(stripe, outcome.intent)
        return this.#turnOff(id, recharge, outcome.reason)
      default:
        outcome satisfies never
    }
  }

  /** False if recharges were turned off, the card was removed or the balance rose since the attempt began. */
  #isStillDue(id: string, { card }: Attempt): boolean {
    const account = this.#parts.accounts.account(id)
    const plan = { ...this.planOf(id), attempt: null }
    return account !== undefined && plan.card?.id === card && isDue(plan, account)
  }

  #drop(id: string, { id: recharge, micros }: Attempt): Promise<void> {
    return this.#update(id, recharge, plan => ({
      ...plan,
      attempt: null,
      monthMicros: Math.max(0, plan.monthMicros - micros),
    }))
  }

  async #turnOff(id: string, recharge: string, reason: string): Promise<void> {
    const { alerts, audit, log } = this.#parts
    if (this.planOf(id).attempt?.id !== recharge) return
    const problem = `Automatic recharge has been turned off. ${reason}`
    await this.#update(id, recharge, plan => ({
      ...plan,
      attempt: null,
      isOn: false,
      problem,
      monthMicros: Math.max(0, plan.monthMicros - (plan.attempt?.micros ?? 0)),
    }))
    log.warn({ account: id, recharge, reason }, 'automatic recharge refused')
    audit.record({ what: 'recharge', account: id, actor: STRIPE, details: { turned: 'off', reason } })
    alerts.report(id, 'recharge.failed', problem)
  }

  /** Ends an attempt with an unknown outcome. It still counts for the month, because it may have been paid. */
  async #giveUp(id: string, { id: recharge, micros }: Attempt): Promise<void> {
    const { log } = this.#parts
    log.error(
      { account: id, recharge, micros },
      'outcome of an automatic recharge unknown: check at Stripe if it was paid',
    )
    const plan = this.planOf(id)
    await this.#plans.set(id, { ...plan, monthMicros: plan.monthMicros + micros })
    await this.#turnOff(id, recharge, 'The payment provider did not say whether the last payment was made.')
  }

  async #update(id: string, recharge: string, next: (plan: Plan) => Plan): Promise<void> {
    const plan = this.planOf(id)
    if (plan.attempt?.id !== recharge) return
    const changed = next(plan)
    if (changed.attempt === null) this.#attempts.delete(id)
    this.#watch.mark(id)
    await this.#plans.set(id, changed)
  }

  #set(id: string, plan: Plan): void {
    this.#plans
      .set(id, plan)
      .catch(error =>
        this.#parts.log.error(
          { err: error, account: id },
          'the plan of automatic recharges could not be written',
        ),
      )
  }
}
