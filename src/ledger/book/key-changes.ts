/** What events change in a key. */
import type { RulesEvent } from '../event.ts'
import type { KeyRecord } from './record.ts'

export function revoke(key: KeyRecord, timeMs: number): void {
  if (key.revokedMs !== 0) return
  key.revokedMs = timeMs
  key.account.activeKeys--
}

export function setRules(key: KeyRecord, { expiresMs, limits, endpoints, addresses }: RulesEvent): void {
  const isFree = expiresMs === null && limits === null && endpoints === null && addresses === null
  key.rules = isFree ? null : { expiresMs, limits, endpoints, addresses }
}

export function endOverlap(key: KeyRecord, untilMs: number): void {
  if (key.rolled === null) throw new Error(`key ${key.id} has no earlier secret`)
  key.rolled = { ...key.rolled, untilMs }
}
