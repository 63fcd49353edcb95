import { KEYS_MAX, KEYS_PER_ACCOUNT_EVER_MAX, KEYS_PER_ACCOUNT_MAX } from '../../limits.ts'
import { renewCap } from '../charging/key-cap.ts'
import type { LiveKey } from '../charging/live.ts'
import { AccountError } from '../errors.ts'
import { newSecret, randomText, START_CHARACTERS, secretHash } from '../secret.ts'
import type { Desk } from './desk.ts'
import { checkLabel, checkThreshold } from './input.ts'

/** A new key and its secret, which is stored nowhere. The key works once this resolves. @throws TOO_MANY_KEYS, … */
export async function createKey(
  desk: Desk,
  idOrEmail: string,
  label: string,
): Promise<{ key: LiveKey; secret: string }> {
  const { book } = desk.ledger
  const text = checkLabel(label)
  const account = desk.account(idOrEmail).record
  while (!desk.hasSlot()) await desk.growMeter()
  const active = account.keys.filter(key => key.revokedMs === 0).length
  if (active >= KEYS_PER_ACCOUNT_MAX || account.keys.length >= KEYS_PER_ACCOUNT_EVER_MAX) {
    throw new AccountError(
      'TOO_MANY_KEYS',
      `An account has at most ${KEYS_PER_ACCOUNT_MAX} active keys: revoke one.`,
    )
  }
  if (book.keys.size >= KEYS_MAX) throw new AccountError('TOO_MANY_KEYS', 'There is no room for more keys.')
  const secret = newSecret()
  const slot = book.slots.length
  await desk.commit({
    kind: 'key',
    slot,
    id: `key_${randomText(12)}`,
    account: account.slot,
    label: text,
    start: secret.slice(0, START_CHARACTERS),
    hash: secretHash(Buffer.from(secret)),
  })
  const key = desk.registry.openKey(book.key(slot))
  desk.listeners.tell('key', account.id)
  return { key, secret }
}

export async function renameKey(desk: Desk, keyId: string, label: string): Promise<LiveKey> {
  const text = checkLabel(label)
  const key = desk.key(keyId)
  await desk.commit({ kind: 'rename', key: key.record.slot, label: text })
  desk.listeners.tell('key', key.account.id)
  return key
}

/** The next request with the key is refused; resolves when that is durable. Revoking twice changes nothing. */
export async function revokeKey(desk: Desk, keyId: string): Promise<LiveKey> {
  const key = desk.key(keyId)
  if (key.revokedMs !== 0) {
    await desk.settled()
    return key
  }
  const done = desk.commit({ kind: 'revoke', key: key.record.slot })
  key.revokedMs = key.record.revokedMs
  await done
  desk.listeners.tell('key', key.account.id)
  return key
}

/** Takes effect on the next request. */
export async function setKeyCap(desk: Desk, keyId: string, monthlyMicros: number | null): Promise<LiveKey> {
  const micros = checkThreshold(monthlyMicros, 'INVALID_CAP')
  const key = desk.key(keyId)
  const { meter, timeline } = desk.ledger
  const done = desk.commit({ kind: 'cap', key: key.record.slot, micros })
  renewCap(key, meter.cells, timeline.nowMs())
  await done
  desk.listeners.tell('key', key.account.id)
  return key
}
