import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { WINDOWS } from '../../billing/accounts/windows.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { isListed } from '../../platform/networks.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts'
import { ENDPOINT_LIST } from '../../service/endpoints/table.ts'
import { ERRORS, REFUSED_STATUSES } from '../../service/errors.ts'
import { BULK_RECORDS_MAX } from '../../service/limits.ts'
import { sumOf } from '../sums.ts'
import { agoText, count } from '../words.ts'
import type { Refusal } from './activity.ts'

/** Why a reason is over; or what helps while an equal request would be refused again. */
export interface Advice {
  text: string
  isOver: boolean
  href?: string
  /** Text of a link that does not do what the advice says. */
  link?: string
}

export interface Reason extends Advice {
  refusal: Refusal
  requests: number
  firstMs: number
  keys: ReadonlySet<string>
}

/**
 * Returns first the reasons that stop the whole account, then those of a key, which a customer repairs here, then
 * those in a program, then missing codes, each by their requests. Reasons that are over come last, by their time.
 * @param operator path of the account's page for operators; undefined for customers
 */
export function reasonsOf(
  counts: readonly Refusal[],
  account: AccountView,
  keys: readonly KeyView[],
  operator?: string,
): Reason[] {
  const groups = new Map<string, Refusal[]>()
  for (const each of counts) {
    // Advice on a key is for one key.
    const id = `${each.status} ${titleOf(each)} ${isOfKey(each) && each.keyId}`
    const group = groups.get(id) ?? []
    groups.set(id, group)
    group.push(each)
  }
  const reasons = Array.from(groups.values(), (group): Reason => {
    const refusal = group.reduce((a, b) => (b.lastMs > a.lastMs ? b : a))
    const key = keys.find(({ id, revokedMs }) => id === refusal.keyId && revokedMs === null)
    return {
      refusal,
      requests: sumOf(group.map(({ requests }) => requests)),
      firstMs: Math.min(...group.map(({ firstMs }) => firstMs)),
      keys: new Set(group.map(({ keyId }) => keyId)),
      ...adviceOn({ account, key, refusal, operator }),
    }
  })
  const rank = ({ isOver, refusal }: Reason) => {
    if (isOver) return 4
    if (refusal.status === 404) return 3
    if (!REFUSED_STATUSES.includes(refusal.status)) return 2
    return isOfKey(refusal) ? 1 : 0
  }
  const weight = ({ isOver, requests }: Reason) => (isOver ? 0 : requests)
  return reasons.sort(
    (a, b) => rank(a) - rank(b) || weight(b) - weight(a) || b.refusal.lastMs - a.refusal.lastMs,
  )
}

const isOfKey = ({ status, bound }: Refusal) => [401, 403].includes(status) || bound?.of === 'key'

/** Returns the number of refused requests, why an active account needs somebody, and what helps; undefined if it does not. */
export function needOf(counts: readonly Refusal[], account: AccountView, keys: readonly KeyView[]) {
  const refused = counts.filter(({ status }) => REFUSED_STATUSES.includes(status))
  const reasons = reasonsOf(refused, account, keys, `/operator/accounts/${account.id}`)
  const open = reasons.filter(({ isOver }) => account.standing === null && !isOver)
  const requests = sumOf(open.map(({ requests }) => requests))
  const [most] = open.toSorted((a, b) => b.requests - a.requests)
  const others =
    most && requests > most.requests ? `; ${count(requests - most.requests)} for other reasons` : ''
  return {
    refused: sumOf(reasons.map(({ requests }) => requests)),
    reason: most && `${most.refusal.status} ${titleOf(most.refusal)}`,
    text:
      most &&
      `${count(most.requests)} refused ${agoText(most.refusal.lastMs)}: ${titleOf(most.refusal)}${others}`,
    help: most,
  }
}

/** Returns the reason of a refusal. The errors of its group begin with this text. */
export function titleOf({ status, bound, reason }: Refusal): string {
  return status === 402 && bound === null ? ERRORS.INSUFFICIENT_BALANCE.text : reason
}

/** Returns where a refusal came from that somebody else may have caused; else null. */
export const senderOf = ({ status, client }: Refusal) => ([401, 403].includes(status) ? client : null)

const over = (text: string): Advice => ({ text, isOver: true })
const now = (text: string, href?: string): Advice => ({ text, isOver: false, ...(href && { href }) })
const REVOKED = over('The key is revoked.')

interface Situation {
  account: AccountView
  refusal: Refusal
  /** Undefined if it is revoked. */
  key: KeyView | undefined
  operator: string | undefined
}

/** Advises on a refusal. One that the present account and key do not decide is over after an hour. */
function adviceOn(situation: Situation): Advice {
  const { status, lastMs } = situation.refusal
  const decided = DECIDED[status]?.(situation)
  if (decided !== undefined) return decided
  return lastMs < Date.now() - HOUR_MS ? over('None in the last hour.') : remedyOf(situation)
}

const DECIDED: Partial<Record<number, (situation: Situation) => Advice | undefined>> = {
  401: decideBySecret,
  402: decideByFunds,
  403: decideByRules,
  429: decideByLimits,
}

function decideBySecret(situation: Situation) {
  const { account, key, refusal, operator } = situation
  const { standing } = account
  if (standing?.state === 'closed') return now('The account is closed for good')
  if (refusal.keyRefusal === 'suspended') {
    if (standing === null) return over('The account works again.')
    if (operator === undefined) return now('The operator can resume the account')
    return now('Resume the account', `${operator}/resume`)
  }
  if (refusal.keyRefusal === 'off' && key !== undefined)
    return key.offMs === null ? over('The key is on now.') : onKey(situation, 'Switch the key on')
  if (refusal.keyRefusal === 'expired' && key !== undefined)
    return key.isExpired
      ? onKey(situation, 'Set a later expiry', 'rules-expiresMs')
      : over('The key expires later now.')
  return undefined
}

function decideByFunds(situation: Situation) {
  const { account, key, refusal, operator } = situation
  // How many records a refused batch had is not known.
  const priceMax = (endpointOf(refusal)?.isBulk ? BULK_RECORDS_MAX : 1) * QUERY_PRICE_MICROS
  if (refusal.bound === null) {
    if (account.balanceMicros >= priceMax) return over('The balance covers it now.')
    if (operator === undefined) return now('Recharge', '/balance#recharge-usd')
    // A credit would pay the debt.
    if (account.debtMicros > 0) return now('See its statement', `${operator}/money`)
    return now('Credit the account', `${operator}/credit`)
  }
  if (key === undefined) return REVOKED
  const roomMicros = (key.capMicros ?? Infinity) - key.monthSpentMicros
  if (roomMicros >= priceMax) return over('The cap has room now.')
  return onKey(situation, 'Raise the cap of the key', 'cap-usd')
}

function decideByRules(situation: Situation) {
  const { key, refusal } = situation
  if (key === undefined) return REVOKED
  const { endpoints, addresses } = key.rules
  const isAllowed = endpoints?.includes(endpointOf(refusal)?.name ?? refusal.endpoint) ?? true
  if (isAllowed && (isListed(refusal.client, addresses) ?? true)) return over('The rules allow it now.')
  return onKey(situation, 'Change the rules of the key', isAllowed ? 'rules-addresses' : 'rules-endpoints')
}

function decideByLimits({ account, key, refusal: { bound, lastMs } }: Situation) {
  const isOfKey = bound?.of === 'key'
  if (isOfKey && key === undefined) return REVOKED
  const window = WINDOWS.find(({ name }) => name === bound?.window)
  if (bound === null || window === undefined) return undefined
  const present = (isOfKey ? key?.rules.limits : account.limits)?.[window.limit] ?? Infinity
  if (present > (bound.most ?? 0)) return over('This limit no longer applies.')
  // A limit of a minute fills again and again.
  if (bound.wait === null || window.ms === MINUTE_MS) return undefined
  const isNext = Math.floor(Date.now() / window.ms) > Math.floor(lastMs / window.ms)
  return isNext ? over('The limit has room again.') : undefined
}

function remedyOf(situation: Situation): Advice {
  const { key, refusal, operator = '' } = situation
  const { status, bound, endpoint } = refusal
  if (status === 401) {
    if (key === undefined) return now('Send another key: this one is revoked for good')
    const present = `Send the secret that begins with ${key.start}, or somebody else has the old one`
    if (refusal.keyRefusal !== 'unknown') return { ...onKey(situation, present), link: 'see from where' }
    // A true secret of the key may be in use: an operator looks first.
    if (operator) return onKey(situation, 'Tell them to copy the whole secret')
    return now('Copy the whole secret, or roll the key', `/keys/${refusal.keyId}/roll`)
  }
  if (status === 404) return now('See which codes each country has', '/coverage')
  if (refusal.reason === ERRORS.TOO_MANY_RECORDS.text)
    return now(`Send at most ${count(BULK_RECORDS_MAX)} records per request`, `/docs#${endpoint}`)
  if (status !== 429) return now(`See the fields of ${endpoint}`, `/docs#${endpoint}`)
  const change = bound?.wait === null ? 'Send fewer records at once, or change' : 'Change'
  return bound?.of === 'key'
    ? onKey(situation, `${change} the limits of the key`, 'rules-perMinute')
    : now(`${change} the limits`, `${operator}/limits`)
}

/** Links to the page of the key, which operators have below that of its account. */
function onKey({ refusal: { keyId }, operator = '' }: Situation, text: string, field = ''): Advice {
  return now(text, `${operator}/keys/${keyId}${field && `#${field}`}`)
}

function endpointOf({ endpoint }: Refusal) {
  return ENDPOINT_LIST.find(({ name, alias }) => name === endpoint || alias === endpoint)
}
