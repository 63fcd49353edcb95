/** Operations on API keys. Only `key.create` ever shows a secret. */
import type { UsageName } from '../../../accounts/endpoint-usage.ts'
import { type KeyView, NO_RULES } from '../../../accounts/views.ts'
import {
  CREDIT_MAX_MICROS,
  EMAIL_LENGTH_MAX,
  KEY_ADDRESSES_MAX,
  KEY_OVERLAP_MS_DEFAULT,
  KEY_OVERLAP_MS_MAX,
  LABEL_LENGTH_MAX,
  RATE_LIMIT_MAX,
  RATE_LIMIT_MIN,
  REFERENCE_LENGTH_MAX,
} from '../../../limits.ts'
import { dollars } from '../../../money.ts'
import { OperatorError } from '../operator-error.ts'
import type { Params } from '../params.ts'
import { findAccount, findKey, operation } from './operation.ts'
import { mergedLimits } from './windows.ts'

/** Names in a list of endpoints: more than there are. */
const ENDPOINTS_MAX = 100

const keyId = (params: Params) => params.text('key', REFERENCE_LENGTH_MAX)

export const keyCreate = operation(
  ['account', 'label'],
  params => ({
    name: params.text('account', EMAIL_LENGTH_MAX),
    label: params.optionalText('label', LABEL_LENGTH_MAX) ?? '',
  }),
  async (accounts, { name, label }) => {
    const created = await accounts.createKey(findAccount(accounts, name).id, { label })
    return { id: created.id, key: created.key }
  },
)

export const keyList = operation(
  ['account'],
  params => ({ name: params.text('account', EMAIL_LENGTH_MAX) }),
  (accounts, { name }) => accounts.listKeys(findAccount(accounts, name).id).map(listed),
)

export const keyRename = operation(
  ['key', 'label'],
  params => ({ id: keyId(params), label: params.text('label', LABEL_LENGTH_MAX) }),
  async (accounts, { id, label }) => listed(await accounts.renameKey(findKey(accounts, id).id, label)),
)

/** Effective on the next request, durable when it resolves. Revoking a revoked key changes nothing. */
export const keyRevoke = operation(
  ['key'],
  params => ({ id: keyId(params) }),
  async (accounts, { id }) => listed(await accounts.revokeKey(findKey(accounts, id).id)),
)

/** Caps what one key may spend in a calendar month (UTC); `off` lifts the cap. */
export const keyCap = operation(
  ['key', 'usd', 'off'],
  params => ({
    id: keyId(params),
    micros: params.flag('off') ? null : params.micros('usd', 0, CREDIT_MAX_MICROS),
  }),
  async (accounts, { id, micros }) => listed(await accounts.setKeyCap(findKey(accounts, id).id, micros)),
)

/**
 * Replaces the rules of a key that are named: null lifts one, `off` all of them; without any it only shows. The rate limits are
 * named one by one, as those of an account.
 */
export const keyRules = operation(
  ['key', 'expires', 'perMinute', 'perHour', 'perDay', 'endpoints', 'addresses', 'off'],
  params => {
    const limit = (name: string) => params.optionalInteger(name, RATE_LIMIT_MIN, RATE_LIMIT_MAX)
    const windows = { perMinute: limit('perMinute'), perHour: limit('perHour'), perDay: limit('perDay') }
    const rules = {
      expiresMs: params.optionalTime('expires'),
      endpoints: params.optionalList('endpoints', ENDPOINTS_MAX),
      addresses: params.optionalList('addresses', KEY_ADDRESSES_MAX),
    }
    const named = [...Object.values(windows), ...Object.values(rules)].some(value => value !== undefined)
    const off = params.flag('off')
    if (off && named) throw new OperatorError('invalid', 'off and a rule exclude each other')
    return { id: keyId(params), windows, rules, named, off }
  },
  async (accounts, { id, windows, rules, named, off }) => {
    const view = findKey(accounts, id)
    if (!named && !off) return listed(view)
    const { rules: present } = view
    const kept = <T>(wanted: T | undefined, value: T) => (wanted === undefined ? value : wanted)
    const next = {
      expiresMs: kept(rules.expiresMs, present.expiresMs),
      limits: mergedLimits(present.limits, windows),
      // The accounts refuse a name that is not one.
      endpoints: kept(rules.endpoints as UsageName[] | null | undefined, present.endpoints),
      addresses: kept(rules.addresses, present.addresses),
    }
    return listed(await accounts.setKeyRules(view.id, off ? NO_RULES : next))
  },
)

/** A new secret; the present one works for `overlapSeconds` more. */
export const keyRoll = operation(
  ['key', 'overlapSeconds'],
  params => ({
    id: keyId(params),
    seconds: params.optionalInteger('overlapSeconds', 0, KEY_OVERLAP_MS_MAX / 1000),
  }),
  async (accounts, { id, seconds }) => {
    const overlapMs = (seconds ?? KEY_OVERLAP_MS_DEFAULT / 1000) * 1000
    const { key, ...view } = await accounts.rollKey(findKey(accounts, id).id, overlapMs)
    return { id: view.id, key, earlier: earlierOf(view) }
  },
)

/** Refuses the secret before the present one from the next request on. */
export const keyEndOverlap = operation(
  ['key'],
  params => ({ id: keyId(params) }),
  async (accounts, { id }) => listed(await accounts.endKeyOverlap(findKey(accounts, id).id)),
)

function earlierOf({ earlier }: Pick<KeyView, 'earlier'>) {
  return earlier && { start: earlier.start, until: iso(earlier.untilMs) }
}

function stateOf({ revokedMs, isExpired }: KeyView): 'active' | 'expired' | 'revoked' {
  if (revokedMs !== null) return 'revoked'
  return isExpired ? 'expired' : 'active'
}

function listed(view: KeyView) {
  return {
    id: view.id,
    start: view.start,
    label: view.label,
    active: stateOf(view) === 'active',
    state: stateOf(view),
    createdAt: iso(view.createdMs),
    lastUsedAt: iso(view.lastUsedMs),
    revokedAt: iso(view.revokedMs),
    queries: Object.values(view.queries).reduce((sum, queries) => sum + queries, 0),
    spent: dollars(view.spentMicros),
    monthSpent: dollars(view.monthSpentMicros),
    cap: view.capMicros === null ? null : dollars(view.capMicros),
    expiresAt: iso(view.rules.expiresMs),
    rateLimits: view.rules.limits,
    endpoints: view.rules.endpoints,
    addresses: view.rules.addresses,
    earlier: earlierOf(view),
  }
}

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

export type ListedKey = ReturnType<typeof listed>
