/** Plain, JSON-serialisable views of accounts for the dashboard, the operator and the tests. Money is micro-dollars. */
import type { AdjustmentKind, CreditKind, EntryKind, Role } from '../ledger/event.ts'
import type { UsageName } from './endpoint-usage.ts'
import type { RateLimits } from './types.ts'

export { type AdjustmentKind, type CreditKind, ROLES, type Role } from '../ledger/event.ts'

/** Queries by usage class. */
export type QueriesByClass = Record<UsageName, number>

export interface AccountView {
  id: string
  /** The address that finds the account; or a label with a space in it, when nobody has proved the address. */
  email: string
  createdMs: number
  /** Credits less adjustments less spend. Never negative. */
  balanceMicros: number
  /** The same as the balance. Kept for clients of the operator's `--json`. */
  availableMicros: number
  /** What refunds and disputes could not take from the balance; the next credits pay it first. */
  debtMicros: number
  limits: RateLimits | null
  /** The dashboard warns below this balance; null: never. */
  lowBalanceMicros: number | null
  activeKeys: number
  spentMicros: number
  /** Null while its keys are answered. */
  standing: StandingView | null
}

export interface StandingView {
  state: 'suspended' | 'closed'
  sinceMs: number
  /** For the account's owner. */
  reason: string
}

/** Somebody who may act for an account. */
export interface MemberView {
  /** Id of the account that their sign-ins lead to. */
  person: string
  /** The address of that account. */
  email: string
  role: Role
}

export interface InvitationView {
  id: string
  email: string
  role: Role
  endMs: number
  /** Who invited. */
  by: string
}

export interface TeamView {
  members: MemberView[]
  /** Those that can still be accepted, the oldest first. */
  invitations: InvitationView[]
}

/** An account that a person may act for. */
export interface MembershipView {
  account: AccountView
  role: Role
}

/** What all accounts together have used, as the ledger says at `timeMs`. */
export interface ServiceUsage {
  timeMs: number
  /** UTC days without gaps, the present one last. */
  days: { startMs: number; queries: number; micros: number }[]
  /** The accounts that spent most in 30 days, the first one the most. */
  largest: { id: string; email: string; micros: number }[]
}

/** How an operator's list is sorted, and which accounts are on it. */
export const ACCOUNT_ORDERS = ['newest', 'balance', 'spent', 'seen', 'email'] as const
export type AccountOrder = (typeof ACCOUNT_ORDERS)[number]
export const ACCOUNT_STATES = ['all', 'active', 'suspended', 'closed'] as const
export type AccountState = (typeof ACCOUNT_STATES)[number]

export interface AccountSearch {
  /** A part of the email address, the beginning of an account's id, a key's id, a key or its beginning; `''`: all. */
  wanted?: string
  state?: AccountState
  order?: AccountOrder
  /** From 1. */
  page?: number
  /** Accounts of a page, at most ACCOUNTS_PER_PAGE_MAX. */
  perPage?: number
}

/** What an account has asked for so far, exact to one flush interval. */
export interface Activity {
  queries: number
  /** When any of its keys was last used; null: never. */
  lastSeenMs: number | null
}

export type AccountPage = Found<AccountView & Activity>

export interface Found<Account> {
  accounts: Account[]
  matches: number
  /** The page that is shown, and how many there are; at least one. */
  page: number
  pages: number
}

/** Queries counted in the present UTC minute, hour and day. */
export interface PresentUse {
  minute: number
  hour: number
  day: number
}

export interface KeyView {
  id: string
  account: string
  label: string
  /** First 12 characters of the secret. */
  start: string
  createdMs: number
  /** Null while the key is active. */
  revokedMs: number | null
  /** Exact to one flush interval; null: never used. */
  lastUsedMs: number | null
  queries: QueriesByClass
  spentMicros: number
  /** Spend of the present UTC month, and its cap, if one is set. */
  monthSpentMicros: number
  capMicros: number | null
  /** What it may be used for, and whether its expiry has passed. */
  rules: KeyRulesView
  isExpired: boolean
  /** The secret before the present one, while it still works; null: there is none. */
  earlier: EarlierSecret | null
}

/** The rules of a key; null in each field: there is no such rule. */
export interface KeyRulesView {
  /** From this moment on it is refused; also one that has passed. */
  expiresMs: number | null
  limits: RateLimits | null
  endpoints: UsageName[] | null
  /** Networks in CIDR notation, and single addresses. */
  addresses: string[] | null
}

/** The rules of a key that may do everything. */
export const NO_RULES: KeyRulesView = { expiresMs: null, limits: null, endpoints: null, addresses: null }

export interface EarlierSecret {
  /** Its first 12 characters. */
  start: string
  untilMs: number
}

/** A key at the only moment at which its secret is known. */
export interface NewKey extends KeyView {
  /** The secret. It is stored nowhere and cannot be shown again. */
  key: string
}

export interface CreditRequest {
  /** Account id or email. */
  account: string
  /** Whole micro-dollars, 1 to CREDIT_MAX_MICROS. */
  micros: number
  /** Unique over all accounts: the same reference is applied once. 1 to REFERENCE_LENGTH_MAX characters. */
  reference: string
  kind: CreditKind
  note?: string
}

export interface AdjustRequest {
  account: string
  /** What is taken back, as a positive number of micro-dollars. */
  micros: number
  reference: string
  kind: AdjustmentKind
  note?: string
}

export interface CreditResult {
  /** False: this reference had already been applied with the same amount to the same account. */
  applied: boolean
  balanceMicros: number
  debtMicros: number
}

export interface UsageQuery {
  by: 'hour' | 'day'
  /** Only this key. */
  key?: string
  /** Only buckets that start at or after `fromMs` and before `toMs`. */
  fromMs?: number
  toMs?: number
}

/** Usage of one key in one UTC hour or day. Buckets without usage are left out. */
export interface UsageRow {
  key: string
  startMs: number
  queries: QueriesByClass
  spentMicros: number
}

/** One line of a statement. The `micros` of all lines add up to the balance, to the micro-dollar. */
export interface StatementRow {
  /** Of the ledger frame; 0 for usage, which is summed by day and key. */
  sequence: number
  timeMs: number
  kind: EntryKind | 'usage' | 'earlier usage'
  /** Signed effect on the balance. */
  micros: number
  /** Change of the debt: positive when a refund or dispute exceeded the balance, negative when a credit paid it. */
  debtMicros: number
  reference: string
  note: string
  /** The key, for usage. */
  key: string | null
  queries: number
  balanceMicros: number
}

/** What changed, after it became durable. `usage` comes at least once per flush, with the accounts of some of its keys. */
export interface Change {
  kind: 'account' | 'key' | 'credit' | 'limits' | 'profile' | 'usage'
  /** Ids of the accounts concerned. */
  accounts: string[]
}
