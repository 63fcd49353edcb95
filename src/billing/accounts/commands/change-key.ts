/** Commands on keys: secrets, caps and rules. */

import { networkText, parseNetwork } from '../../../platform/networks.ts'
import { DAY_MS } from '../../../platform/time.ts'
import type { AccountRecord, KeyRecord } from '../../ledger/book/record.ts'
import type { KeyRules } from '../../ledger/event.ts'
import { KEY_ADDRESSES_MAX, KEY_OVERLAP_MS_MAX } from '../../limits.ts'
import { AccountError } from '../account-error.ts'
import type { Transaction } from '../account-store.ts'
import { newSecret, randomText, SHOWN_CHARACTERS, secretHash } from '../secret.ts'
import { activeKeysOf, type NamedKeyRules, NO_RULES, type Views } from '../views.ts'
import { expectActive, expectNotClosed } from './change-account.ts'
import { checkLabel, checkLimits, checkMicrosOrNull } from './checked-input.ts'
import { type CommandContext, commandsOn, type UsageClass } from './run-command.ts'

export const KEYS_PER_ACCOUNT_MAX = 100
/** Maximum number of keys that one account may create in KEYS_CREATED_DAYS. */
export const KEYS_CREATED_MAX = 10_000
export const KEYS_CREATED_DAYS = 30
/** Latest expiry of a key: 100 years from now. */
const KEY_EXPIRY_MS_MAX = 100 * 366 * DAY_MS

/** `untilMs` of a previous secret that was ended. No clock of a thread or node decides then. */
const ENDED = 0

export function keyCommands(context: CommandContext, { ofKey }: Views) {
  const { book, run, expectAccount, expectKey, keysMax } = context
  const onKey = commandsOn(context, expectKey, ofKey)
  return {
    /** Creates a key with its rules in one transaction. @throws REPEATED if there is a key with this id */
    async createKey(idOrEmail: string, input: { label?: string; rules?: NamedKeyRules; id?: string } = {}) {
      const { id = `key_${randomText(12)}` } = input
      const secret = newSecret()
      const events = await run((): Transaction | null => {
        const rules = checkKeyRules(context, input.rules ?? NO_RULES)
        const label = checkLabel(input.label ?? '')
        const account = expectAccount(idOrEmail)
        if (book.keys.has(id)) return null
        expectActive(account)
        expectRoom(account, context.nowMs())
        if (book.keys.size >= keysMax)
          throw new AccountError(
            'TOO_MANY_KEYS',
            `This service holds at most ${keysMax} keys, revoked ones included. Raise KEYS_MAX.`,
          )
        const slot = book.slots.length
        const key = { kind: 'key', slot, id, account: account.slot, label, ...stored(secret) } as const
        const isFree = Object.values(rules).every(rule => rule === null)
        return isFree ? [key] : [key, { kind: 'rules', key: slot, ...rules }]
      })
      if (events === null) throw new AccountError('REPEATED', `The key ${id} exists.`)
      return { ...ofKey(expectKey(id)), secret }
    },
    renameKey: onKey((key, input: string) => {
      const label = checkLabel(input)
      return [{ kind: 'rename', key: activeSlot(key), label }]
    }),
    /** Revokes a key from the next request on. A repetition changes nothing. */
    revokeKey: onKey(({ slot: key, revokedMs }) => (revokedMs === 0 ? [{ kind: 'revoke', key }] : null)),
    /** Switches a key on, or off from the next request on. A repetition changes nothing. @throws KEY_REVOKED */
    switchKey: onKey((key, isOn: boolean) => {
      const slot = activeSlot(key)
      return isOn === (key.offMs === 0) ? null : [{ kind: 'switch', key: slot, isOn }]
    }),
    /** Sets the cap of a key: micros of a month, or null for no cap. A repetition changes nothing. */
    setKeyCap: onKey((key, input: number | null) => {
      const micros = checkMicrosOrNull(input, 'INVALID_CAP')
      const slot = activeSlot(key)
      return micros === key.capMicros ? null : [{ kind: 'cap', key: slot, micros }]
    }),
    setKeyRules: onKey((key, input: NamedKeyRules) => {
      const rules = checkKeyRules(context, input, key.rules?.expiresMs ?? null)
      return [{ kind: 'rules', key: activeSlot(key), ...rules }]
    }),
    /**
     * Gives a key a new secret. The previous secret works for `overlapMs` more. Usage, cap and rules stay.
     * @param from start of the secret to replace, by default the present one @throws REPEATED for another
     */
    async rollKey(id: string, overlapMs: number, from?: string) {
      const secret = newSecret()
      const events = await run((): Transaction | null => {
        const key = expectKey(id)
        const slot = activeSlot(key)
        if (from !== undefined && key.start !== from) return null
        if (!(Number.isSafeInteger(overlapMs) && overlapMs >= 0 && overlapMs <= KEY_OVERLAP_MS_MAX))
          throw new AccountError(
            'INVALID_OVERLAP',
            `An overlap is 0 to ${KEY_OVERLAP_MS_MAX} milliseconds, not ${overlapMs}.`,
          )
        const untilMs = overlapMs === 0 ? ENDED : context.nowMs() + overlapMs
        return [{ kind: 'roll', key: slot, ...stored(secret), untilMs }]
      })
      const key = ofKey(expectKey(id))
      if (events === null)
        throw new AccountError('REPEATED', `The key ${id} begins with ${key.start} by now.`)
      return { ...key, secret }
    },
    /** Refuses the previous secret of a key. Without a working one, nothing changes. @throws KEY_REVOKED */
    endKeyOverlap: onKey(key => {
      const slot = activeSlot(key)
      if (key.previous === null || key.previous.untilMs <= context.nowMs()) return null
      return [{ kind: 'overlap', key: slot, untilMs: ENDED }]
    }),
  }
}

/** Returns the fields of a secret in events. */
function stored(secret: string): { start: string; hash: string } {
  return { start: secret.slice(0, SHOWN_CHARACTERS), hash: secretHash(Buffer.from(secret)) }
}

/** Returns the slot of a key. @throws KEY_REVOKED, ACCOUNT_CLOSED */
function activeSlot({ id, slot, revokedMs, account }: KeyRecord): number {
  expectNotClosed(account)
  if (revokedMs === 0) return slot
  throw new AccountError('KEY_REVOKED', `The key ${id} is revoked, which is final: create a new one.`)
}

function expectRoom(account: AccountRecord, nowMs: number): void {
  const text = `An account has at most ${KEYS_PER_ACCOUNT_MAX} active keys. Revoke one.`
  if (activeKeysOf(account) >= KEYS_PER_ACCOUNT_MAX) throw new AccountError('TOO_MANY_KEYS', text)
  const earliest = account.keys.at(-KEYS_CREATED_MAX)
  if (earliest === undefined) return
  // The absolute distance: a key dated ahead by a wrong clock must not count for that long.
  if (Math.abs(nowMs - earliest.createdMs) > KEYS_CREATED_DAYS * DAY_MS) return
  throw new AccountError(
    'TOO_MANY_KEYS',
    `An account creates at most ${KEYS_CREATED_MAX} keys in ${KEYS_CREATED_DAYS} days. Use an active one, or wait.`,
  )
}

/** @param presentMs the key's present expiry, which may have passed */
function checkKeyRules(
  context: CommandContext,
  input: NamedKeyRules,
  presentMs: number | null = null,
): KeyRules {
  const nowMs = context.nowMs()
  const { expiresMs } = input
  const limits = checkLimits(input.limits)
  const isFuture = (ms: number) => Number.isSafeInteger(ms) && ms > nowMs && ms <= nowMs + KEY_EXPIRY_MS_MAX
  if (expiresMs !== null && expiresMs !== presentMs && !isFuture(expiresMs))
    throw new AccountError(
      'INVALID_EXPIRY',
      'A key expires at a time in the future, at most 100 years ahead. To stop it now, revoke it.',
    )
  return {
    expiresMs,
    limits: limits !== null && Object.values(limits).every(limit => limit === null) ? null : limits,
    endpoints: checkEndpoints(input.endpoints, context.usageClasses),
    addresses: checkAddresses(input.addresses),
  }
}

/** Returns usage classes. A list of all endpoints is still a rule: it excludes those of later versions. */
function checkEndpoints(
  endpoints: readonly string[] | null,
  classes: readonly UsageClass[],
): number[] | null {
  if (endpoints === null) return null
  const isOf = (given: string, { name, alias }: UsageClass) => given === name || given === alias
  const unknown = endpoints.find(given => !classes.some(each => isOf(given, each)))
  if (unknown === undefined && endpoints.length > 0)
    return classes.flatMap((each, usage) => (endpoints.some(given => isOf(given, each)) ? [usage] : []))
  const found = unknown === undefined ? 'none' : JSON.stringify(unknown)
  throw new AccountError(
    'INVALID_ENDPOINTS',
    `The endpoints of a key are one or more of ${classes.map(({ name }) => name).join(', ')}; not ${found}.`,
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
    `A key is allowed from 1 to ${KEY_ADDRESSES_MAX} networks, not ${unique.length}. Without a list it is allowed from everywhere.`,
  )
}
