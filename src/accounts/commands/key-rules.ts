/** What a key may be used for, by whom and until when: checked here, enforced by `charging/`. */
import type { KeyRecord } from '../../ledger/book/record.ts'
import type { KeyRules } from '../../ledger/event.ts'
import { KEY_ADDRESSES_MAX, KEY_EXPIRY_MS_MAX, KEY_OVERLAP_MS_MAX } from '../../limits.ts'
import { networkText, parseNetwork } from '../../networks.ts'
import { ENDPOINT_USAGE, USAGE_CLASSES, type UsageName } from '../endpoint-usage.ts'
import { AccountError } from '../errors.ts'
import { newSecret, START_CHARACTERS, secretHash } from '../secret.ts'
import type { KeyRulesView } from '../views.ts'
import type { CommandContext } from './command-context.ts'
import { checkLimits } from './input.ts'

/** Replaces all rules of a key, from the next request on. @throws KEY_REVOKED, INVALID_… */
export async function setKeyRules(
  context: CommandContext,
  keyId: string,
  wanted: KeyRulesView,
): Promise<KeyRecord> {
  const presentMs = context.key(keyId).rules?.expiresMs ?? null
  const rules = checkKeyRules(wanted, context.ledger.timeline.nowMs(), presentMs)
  const key = activeKey(context, keyId)
  if (rules.limits !== null && context.registry.windowsRow(key) === 0)
    await context.registry.ensureWindows(key, () => context.windowsRow())
  while (!context.hasRoomForRules) await context.grow()
  const done = context.commit({ kind: 'rules', key: key.slot, ...rules })
  context.registry.keyLines.renewRules(key)
  await done
  context.listeners.notify('key', key.account.id)
  return key
}

/**
 * Gives a key a new secret, which is stored nowhere. The one before it works for `overlapMs` more, and any older one no longer. What
 * the key has used, its cap and its rules stay. The new secret works once this resolves. @throws KEY_REVOKED, INVALID_OVERLAP
 */
export async function rollKey(
  context: CommandContext,
  keyId: string,
  overlapMs: number,
): Promise<{ key: KeyRecord; secret: string }> {
  const key = activeKey(context, keyId)
  if (!(Number.isSafeInteger(overlapMs) && overlapMs >= 0 && overlapMs <= KEY_OVERLAP_MS_MAX)) {
    throw new AccountError(
      'INVALID_OVERLAP',
      `An overlap is 0 to ${KEY_OVERLAP_MS_MAX} milliseconds, not ${overlapMs}.`,
    )
  }
  const secret = newSecret()
  const start = secret.slice(0, START_CHARACTERS)
  const hash = secretHash(Buffer.from(secret))
  const untilMs = context.ledger.timeline.nowMs() + overlapMs
  await context.commit({ kind: 'roll', key: key.slot, start, hash, untilMs })
  while (!context.hasRoomForRules) await context.grow()
  context.registry.renewSecrets(key)
  await context.threads.seen()
  context.listeners.notify('key', key.account.id)
  return { key, secret }
}

/** Refuses the earlier secret of a key from the next request on. Without one that still works, nothing changes. @throws KEY_REVOKED */
export async function endKeyOverlap(context: CommandContext, keyId: string): Promise<KeyRecord> {
  const key = activeKey(context, keyId)
  const nowMs = context.ledger.timeline.nowMs()
  if (key.rolled === null || key.rolled.untilMs <= nowMs) {
    await context.settled()
    return key
  }
  while (!context.hasRoomForRules) await context.grow()
  const done = context.commit({ kind: 'overlap', key: key.slot, untilMs: nowMs })
  context.registry.keyLines.renewRules(key)
  await done
  context.listeners.notify('key', key.account.id)
  return key
}

/** @throws KEY_NOT_FOUND, KEY_REVOKED */
function activeKey(context: CommandContext, keyId: string): KeyRecord {
  const key = context.key(keyId)
  if (key.revokedMs === 0) return key
  throw new AccountError('KEY_REVOKED', `The key ${key.id} is revoked, which is final: create a new one.`)
}

/**
 * Rules in the form in which they are stored.
 * @param presentMs the expiry that the key has: one that stays as it was may have passed
 * @throws INVALID_…
 */
export function checkKeyRules(
  wanted: KeyRulesView,
  nowMs: number,
  presentMs: number | null = null,
): KeyRules {
  const isKept = wanted.expiresMs === presentMs
  return {
    expiresMs: isKept ? wanted.expiresMs : checkExpiry(wanted.expiresMs, nowMs),
    limits: checkKeyLimits(wanted.limits),
    endpoints: checkEndpoints(wanted.endpoints),
    addresses: checkAddresses(wanted.addresses),
  }
}

function checkExpiry(expiresMs: number | null, nowMs: number): number | null {
  if (expiresMs === null) return null
  if (Number.isSafeInteger(expiresMs) && expiresMs > nowMs && expiresMs <= nowMs + KEY_EXPIRY_MS_MAX)
    return expiresMs
  throw new AccountError(
    'INVALID_EXPIRY',
    'A key expires at a time in the future, at most 100 years ahead; to stop it now, revoke it.',
  )
}

/** Limits without any window mean none. */
function checkKeyLimits(limits: KeyRulesView['limits']): KeyRules['limits'] {
  const checked = checkLimits(limits)
  return checked !== null && Object.values(checked).every(limit => limit === null) ? null : checked
}

/** All endpoints together are a rule as well: it does not allow those that a later version adds. */
function checkEndpoints(endpoints: readonly UsageName[] | null): number[] | null {
  if (endpoints === null) return null
  const unknown = endpoints.find(name => !Object.hasOwn(ENDPOINT_USAGE, name))
  if (unknown === undefined && endpoints.length > 0)
    return USAGE_CLASSES.flatMap((name, usage) => (endpoints.includes(name) ? [usage] : []))
  const found = unknown === undefined ? 'none' : JSON.stringify(unknown)
  throw new AccountError(
    'INVALID_ENDPOINTS',
    `The endpoints of a key are one or more of ${USAGE_CLASSES.join(', ')}; not ${found}.`,
  )
}

function checkAddresses(addresses: readonly string[] | null): string[] | null {
  if (addresses === null) return null
  const texts = addresses.map(text => {
    const network = parseNetwork(text.trim())
    if (network !== null) return networkText(network)
    throw new AccountError(
      'INVALID_ADDRESSES',
      `${JSON.stringify(text.slice(0, 64))} is not an address or a network such as 203.0.113.0/24 or 2001:db8::/32.`,
    )
  })
  const unique = [...new Set(texts)]
  if (unique.length > 0 && unique.length <= KEY_ADDRESSES_MAX) return unique
  throw new AccountError(
    'INVALID_ADDRESSES',
    `A key is allowed from 1 to ${KEY_ADDRESSES_MAX} networks, not ${unique.length}; without a list, from everywhere.`,
  )
}
