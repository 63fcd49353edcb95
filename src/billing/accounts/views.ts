/** Plain values for the dashboard and the operator. Money is micro-dollars. */
import type { Invitation } from '../ledger/book/record.ts'
import type { AdjustmentKind, CreditKind, Role } from '../ledger/event.ts'
import type { AccountView, KeyView } from './reports/account-view.ts'

export type { Invitation as InvitationView } from '../ledger/book/record.ts'
export { type AdjustmentKind, type CreditKind, type RateLimits, ROLES, type Role } from '../ledger/event.ts'
export {
  ACCOUNT_ORDERS,
  ACCOUNT_STATES,
  type AccountOrder,
  type AccountState,
  type Activity,
} from './reports/account-search.ts'
export {
  type AccountView,
  type KeyRulesView,
  type KeyView,
  NO_RULES,
  type QueriesByClass,
} from './reports/account-view.ts'
export type { ServiceUsage, StatementRow, UsageQuery, UsageRow } from './reports/usage-report.ts'

export interface MemberView {
  person: string
  email: string
  role: Role
}

export interface TeamView {
  members: MemberView[]
  invitations: Invitation[]
}

export interface MembershipView {
  account: AccountView
  role: Role
}

export interface NewKey extends KeyView {
  key: string
}

export interface CreditRequest {
  account: string
  /** 1 to CREDIT_MAX_MICROS. */
  micros: number
  /** Text of 1 to REFERENCE_LENGTH_MAX characters, unique over all accounts: a reference is applied once. */
  reference: string
  kind: CreditKind
  note?: string
}

export type AdjustRequest = Omit<CreditRequest, 'kind'> & { kind: AdjustmentKind }

export interface CreditResult {
  /** False if this reference was already applied, with the same amount to the same account. */
  applied: boolean
  balanceMicros: number
  debtMicros: number
}
