import { WINDOWS } from '../../billing/accounts/live/counter.ts'
import type { AccountView, KeyView } from '../../billing/accounts/views.ts'
import { QUERY_PRICE_MICROS } from '../../billing/money.ts'
import { isListed } from '../../platform/networks.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/time.ts'
import { ENDPOINT_LIST } from '../../service/endpoints/table.ts'
import { ERRORS, REFUSED_STATUSES } from '../../service/errors.ts'
import { BULK_RECORDS_MAX } from '../../service/limits.ts'
import { agoText, count } from '../words.ts'
import type { Refusal } from './activity.ts'
import { sumOf } from './usage-series.ts'

/** Ages after which a reason comes after more recent ones. */
const RECENT_MS = [5 * MINUTE_MS, HOUR_MS]

/** Why a reason is over; or what helps while an equal request would be refused again. */
export interface Advice {
  text: string
  isOver: boolean
  href?: string
}

export interface Reason extends Advice {
  refusal: Refusal
  requests: number
  firstMs: number
  keys: ReadonlySet<string>
}

/**
 * Returns the reasons of the last minutes, then of the last hour, then older ones. Recent ones
 * are ordered by their requests, older ones by time. Reasons that are over come last.
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
    const { status, bound, keyId } = each
    // Advice on a key is for one key.
    const isOfKey = [401, 403].includes(status) || bound?.of === 'key'
    const id = `${status} ${titleOf(each)} ${isOfKey && keyId}`
    const group = groups.get(id) ?? []
    groups.set(id, group)
    group.push(each)
  }
  const reasons = Array.from(groups.values(), (group): Reason => {
    const refusal = group.reduce((a, b) => (b.lastMs > a.lastMs ? b : a))
    const key = keys.find(({ id }) => id === refusal.keyId)
    return {
      refusal,
      requests: sumOf(group.map(({ requests }) => requests)),
      firstMs: Math.min(...group.map(({ firstMs }) => firstMs)),
      keys: new Set(group.map(({ keyId }) => keyId)),
      ...adviceOn(account, key, refusal, operator),
    }
  })
  const nowMs = Date.now()
  const rank = ({ isOver, refusal: { lastMs } }: Reason) =>
    isOver ? RECENT_MS.length + 1 : RECENT_MS.filter(ms => lastMs < nowMs - ms).length
  const weight = (reason: Reason) => (rank(reason) < RECENT_MS.length ? reason.requests : 0)
  return reasons.sort(
    (a, b) => rank(a) - rank(b) || weight(b) - weight(a) || b.refusal.lastMs - a.refusal.lastMs,
  )
}

/** Returns the number of refused requests, and why an active account needs somebody; undefined if it does not. */
export function needOf(counts: readonly Refusal[], account: AccountView, keys: readonly KeyView[]) {
  const refused = counts.filter(({ status }) => REFUSED_STATUSES.includes(status))
  const reasons = reasonsOf(refused, account, keys, '')
  const open = reasons.filter(({ isOver }) => account.standing === null && !isOver)
  const requests = sumOf(open.map(({ requests }) => requests))
  const lastMs = Math.max(0, ...open.map(({ refusal }) => refusal.lastMs))
  const [most] = open.toSorted((a, b) => b.requests - a.requests)
  return {
    refused: sumOf(reasons.map(({ requests }) => requests)),
    reason: most && `${most.refusal.status} ${titleOf(most.refusal)}`,
    text: most && `${count(requests)} refused ${agoText(lastMs)}: ${titleOf(most.refusal)}`,
  }
}

/** Returns the reason of a refusal. The errors of its group begin with this text. */
export function titleOf({ status, bound, reason }: Refusal): string {
  return status === 402 && bound === null ? ERRORS.INSUFFICIENT_BALANCE.text : reason
}

const over = (text: string): Advice => ({ text, isOver: true })
const now = (text: string, href?: string): Advice => ({ text, isOver: false, ...(href && { href }) })

function adviceOn(
  { standing, balanceMicros, limits }: AccountView,
  key: KeyView | undefined,
  { status, bound, keyRefusal, endpoint, client, keyId, lastMs }: Refusal,
  operator?: string,
): Advice {
  // Operators have the page of a key, below that of its account.
  const link = (own: string, text: string, ofOperator = own.startsWith('/keys/') ? own : '') =>
    now(text, operator === undefined ? own : ofOperator && operator + ofOperator)
  const page = `/keys/${keyId}`
  // How many records a refused batch had is not known.
  const asked = ENDPOINT_LIST.find(({ name, alias }) => name === endpoint || alias === endpoint)
  const priceMax = (asked?.isBulk ? BULK_RECORDS_MAX : 1) * QUERY_PRICE_MICROS
  if (status === 402 && bound === null) {
    const remedy = operator === undefined ? 'Recharge' : 'Recharge, or credit the account'
    return balanceMicros >= priceMax
      ? over('The balance covers it now.')
      : link('/balance#recharge-usd', remedy, '/credit')
  }
  if (status === 401 && standing?.state === 'closed') return now('The account is closed for good')
  if (keyRefusal === 'suspended') {
    if (standing === null) return over('The account works again.')
    return operator === undefined
      ? now('The operator can resume the account')
      : link('', 'Resume the account', '/resume')
  }
  const isOfKey = bound?.of === 'key'
  const isRevoked = key === undefined || key.revokedMs !== null
  if (isRevoked && (isOfKey || status === 403)) return over('The key is revoked.')
  if (status === 402 && !isRevoked)
    return (key.capMicros ?? Infinity) - key.monthSpentMicros >= priceMax
      ? over('The cap has room now.')
      : link(`${page}#cap-usd`, 'Raise the cap of the key')
  if (status === 403 && !isRevoked) {
    const { endpoints, addresses } = key.rules
    const isAllowed = endpoints?.includes(asked?.name ?? endpoint) ?? true
    if (isAllowed && (isListed(client, addresses) ?? true)) return over('The rules allow it now.')
    return link(`${page}#rules-addresses`, 'Change the rules of the key')
  }
  if (keyRefusal === 'off' && !isRevoked)
    return key.offMs === null ? over('The key is on now.') : link(page, 'Switch the key on')
  if (keyRefusal === 'expired' && !isRevoked)
    return key.isExpired
      ? link(`${page}#rules-expiresMs`, 'Set a later expiry')
      : over('The key expires later now.')
  const window = WINDOWS.find(({ name }) => name === bound?.window)
  const present = isOfKey ? key?.rules.limits : limits
  if (window !== undefined && (present?.[window.limit] ?? Infinity) > (bound?.most ?? 0))
    return over('This limit no longer applies.')
  // A limit of a minute fills again and again.
  const isNext = window !== undefined && Math.floor(Date.now() / window.ms) > Math.floor(lastMs / window.ms)
  if (isNext && bound?.wait !== null && window.ms > MINUTE_MS) return over('The limit has room again.')
  if (lastMs < Date.now() - HOUR_MS) return over('None in the last hour.')
  if (status === 401 && isRevoked) return now('Send another key: this one is revoked for good')
  if (keyRefusal === 'unknown')
    return link(page, 'Copy all of the secret from where you stored it, or roll the key')
  if (status === 401)
    return link(page, `Send the secret that begins with ${key?.start}, or somebody else has the old one`)
  const fewer = bound?.wait === null && status === 429 ? 'Send fewer records at once, or change' : 'Change'
  if (isOfKey) return link(`${page}#rules-perMinute`, `${fewer} the limits of the key`)
  if (status === 429) return link('/limits', `${fewer} the limits`, '/limits')
  if (status === 404) return now('See which codes each country has', '/coverage')
  return now(`See the fields of ${endpoint}`, `/docs#${endpoint}`)
}
