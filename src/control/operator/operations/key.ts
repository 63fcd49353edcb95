/** Operations on API keys. Only `key.create` ever shows a secret. */
import type { KeyView } from '../../../accounts/views.ts'
import {
  CREDIT_MAX_MICROS,
  EMAIL_LENGTH_MAX,
  LABEL_LENGTH_MAX,
  REFERENCE_LENGTH_MAX,
} from '../../../limits.ts'
import { dollars } from '../../../money.ts'
import type { Params } from '../params.ts'
import { findAccount, findKey, operation } from './operation.ts'

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

function listed(view: KeyView) {
  return {
    id: view.id,
    start: view.start,
    label: view.label,
    active: view.revokedMs === null,
    createdAt: iso(view.createdMs),
    lastUsedAt: iso(view.lastUsedMs),
    revokedAt: iso(view.revokedMs),
    queries: Object.values(view.queries).reduce((sum, queries) => sum + queries, 0),
    spent: dollars(view.spentMicros),
    monthSpent: dollars(view.monthSpentMicros),
    cap: view.capMicros === null ? null : dollars(view.capMicros),
  }
}

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

export type ListedKey = ReturnType<typeof listed>
