/** Requests to charge, as a server thread makes them, on whatever charges. */
import type { Charging } from '../../src/accounts/charging/charging.ts'
import type { SharedKey } from '../../src/accounts/charging/shared-key.ts'

export interface ChargeCall {
  secret: string
  usage: number
  queries: number
}

export interface ChargeAnswer {
  isCharged: boolean
  availableMicros: number
}

export interface AdmitCall {
  secret: string
  queries: number
}

export interface AdmitAnswer {
  wait: number
  minute: number
  hour: number
  day: number
  /** Counted against the key's own limits. */
  ownDay: number
}

export function find(charging: Charging, secret: string): SharedKey | undefined {
  const bytes = Buffer.from(secret)
  return charging.authenticate(bytes, 0, bytes.length)
}

/** Null when the key is not found. */
export function charge(charging: Charging, call: ChargeCall): ChargeAnswer | null {
  const { secret, usage, queries } = call
  const key = find(charging, secret)
  if (key === undefined) return null
  const isCharged = charging.charge(key, usage, queries)
  return { isCharged, availableMicros: key.account.availableMicros }
}

/** Null when the key is not found. */
export function admit(charging: Charging, { secret, queries }: AdmitCall): AdmitAnswer | null {
  const key = find(charging, secret)
  if (key === undefined) return null
  const wait = charging.admit(key, queries)
  const { currentMinute: minute, currentHour: hour, currentDay: day } = key.account
  return { wait, minute, hour, day, ownDay: key.own?.currentDay ?? 0 }
}
