import { DAY_MS } from '../../ledger/book/history.ts'
import type { AccountRecord, KeyRecord } from '../../ledger/book/record.ts'
import { KEYS_CREATED_DAYS, KEYS_CREATED_MAX, KEYS_MAX, KEYS_PER_ACCOUNT_MAX } from '../../limits.ts'
import { AccountError } from '../errors.ts'
import { newSecret, randomText, START_CHARACTERS, secretHash } from '../secret.ts'
import type { CommandContext } from './command-context.ts'
import { checkLabel, checkThreshold } from './input.ts'
import { expectActive } from './standing-commands.ts'

/** A new key and its secret, which is stored nowhere. The key works once this resolves. @throws TOO_MANY_KEYS, … */
export async function createKey(
  context: CommandContext,
  idOrEmail: string,
  label: string,
): Promise<{ key: KeyRecord; secret: string }> {
  const { book } = context.ledger
  const text = checkLabel(label)
  const account = context.account(idOrEmail)
  while (!context.hasRoom) await context.grow()
  expectActive(account)
  expectRoom(account, context.ledger.timeline.nowMs())
  if (book.keys.size >= KEYS_MAX) {
    throw new AccountError(
      'TOO_MANY_KEYS',
      `This service holds at most ${KEYS_MAX} keys, revoked ones included.`,
    )
  }
  const secret = newSecret()
  const slot = book.slots.length
  await context.commit({
    kind: 'key',
    slot,
    id: `key_${randomText(12)}`,
    account: account.slot,
    label: text,
    start: secret.slice(0, START_CHARACTERS),
    hash: secretHash(Buffer.from(secret)),
  })
  const key = book.key(slot)
  context.registry.openKey(key)
  await context.threads.seen()
  context.listeners.notify('key', account.id)
  return { key, secret }
}

export async function renameKey(context: CommandContext, keyId: string, label: string): Promise<KeyRecord> {
  const text = checkLabel(label)
  const key = context.key(keyId)
  await context.commit({ kind: 'rename', key: key.slot, label: text })
  context.listeners.notify('key', key.account.id)
  return key
}

/** The next request with the key is refused; resolves when that is durable. Revoking twice changes nothing. */
export async function revokeKey(context: CommandContext, keyId: string): Promise<KeyRecord> {
  const key = context.key(keyId)
  if (key.revokedMs !== 0) {
    await context.settled()
    return key
  }
  const done = context.commit({ kind: 'revoke', key: key.slot })
  context.registry.keyLines.renewState(key)
  await done
  context.listeners.notify('key', key.account.id)
  return key
}

/** Takes effect on the next request. */
export async function setKeyCap(
  context: CommandContext,
  keyId: string,
  monthlyMicros: number | null,
): Promise<KeyRecord> {
  const micros = checkThreshold(monthlyMicros, 'INVALID_CAP')
  const key = context.key(keyId)
  const done = context.commit({ kind: 'cap', key: key.slot, micros })
  context.flusher.renewCap(key)
  await done
  context.listeners.notify('key', key.account.id)
  return key
}

/** Each bound has a remedy of its own, which the message names. @throws TOO_MANY_KEYS */
function expectRoom(account: AccountRecord, nowMs: number): void {
  if (account.activeKeys >= KEYS_PER_ACCOUNT_MAX) {
    throw new AccountError(
      'TOO_MANY_KEYS',
      `An account has at most ${KEYS_PER_ACCOUNT_MAX} active keys: revoke one.`,
    )
  }
  const earliest = account.keys.at(-KEYS_CREATED_MAX)
  if (earliest === undefined) return
  // The distance, so that a key that a wrong clock dated ahead does not count for as long as that clock was ahead.
  if (Math.abs(nowMs - earliest.createdMs) > KEYS_CREATED_DAYS * DAY_MS) return
  throw new AccountError(
    'TOO_MANY_KEYS',
    `An account creates at most ${KEYS_CREATED_MAX} keys in ${KEYS_CREATED_DAYS} days: go on using an active one, or wait.`,
  )
}
