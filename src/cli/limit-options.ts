/** Rate limits as options and as text, of accounts and of keys. */
import { Option } from 'commander'
import { wholeNumberOrNone } from './options.ts'

/** An option for one window of rate limits. */
export function limitOption(flags: string, description: string): Option {
  return new Option(flags, `${description}, or 'none'`).argParser(wholeNumberOrNone)
}

export interface LimitFlags {
  perMinute?: number | 'none'
  perHour?: number | 'none'
  perDay?: number | 'none'
  off?: true
}

/** JSON has null for a lifted rule; commander would turn a null of ours into an empty text. */
export function withoutNone(flags: object): object {
  return Object.fromEntries(
    Object.entries(flags).map(([name, value]) => [name, value === 'none' ? null : value]),
  )
}

interface Limits {
  perMinute: number | null
  perHour: number | null
  perDay: number | null
}

/** Limits in words. */
export function limitsText(limits: Limits | null): string {
  if (limits === null) return 'off'
  const windows = [
    [limits.perMinute, 'minute'],
    [limits.perHour, 'hour'],
    [limits.perDay, 'day'],
  ] as const
  return windows.flatMap(([limit, window]) => (limit === null ? [] : [`${limit} per ${window}`])).join(', ')
}
