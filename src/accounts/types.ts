/** Accounts, keys and their meter as requests see them. Amounts are whole micro-dollars. */
export type { RateLimits } from '../ledger/event.ts'
export type { Charging as Meter, Wanted } from './charging/charging.ts'
export type {
  KeyRules,
  Limited,
  SharedAccount as Account,
  SharedKey as ApiKey,
} from './charging/shared-key.ts'

/** Rate limit that refuses a request; with the window `month`, the cap of its key. */
export interface Bound {
  of: 'key' | 'account'
  window: 'minute' | 'hour' | 'day' | 'month'
  /** Queries of a window; null for a cap. */
  most: number | null
  /** Seconds until there is room; null: never. */
  wait: number | null
}
