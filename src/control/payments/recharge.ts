/** How an account can be recharged. The settings decide which way applies. */
import type { HtmlEscapedString } from 'hono/utils/html'
import type { StatementRow } from '../../accounts/views.ts'
import { RECHARGE_MIN_MICROS } from '../../limits.ts'
import { typedDollars } from '../layout/typed-dollars.ts'
import { RECHARGE_MAX_MICROS } from '../limits.ts'
import type { PageApp, PageContext } from '../shell/dashboard.ts'
import type { AutoRecharge } from './auto/auto-recharge.ts'
import { MICROS_PER_CENT } from './stripe-client.ts'

/** `operator`: by the operator's command only. */
export type RechargeKind = 'stripe' | 'test' | 'operator'

export interface Recharge {
  readonly kind: RechargeKind
  /** Automatic recharges with a saved card, where Stripe is used. */
  readonly auto?: AutoRecharge
  /** Where the provider's own document of a credit is; null when this service has to make one. @throws the provider's error */
  receiptUrl?(credit: Pick<StatementRow, 'kind' | 'reference' | 'note'>): Promise<string | null>
  /** Adds the routes of its forms. `page` renders the balance page again, with the problem. */
  addRoutes(app: PageApp, page: RechargePage): void
}

/** The balance page. */
export type RechargePage = (
  c: PageContext,
  problem?: string,
) => HtmlEscapedString | Promise<HtmlEscapedString>

export const BY_OPERATOR: Recharge = { kind: 'operator', addRoutes: () => {} }

/** Whole micro-dollars of a recharge form's amount, or null when it is not whole cents in the allowed range. */
export function rechargeMicros(text: string): number | null {
  const micros = typedDollars(text)
  if (micros === null || micros % MICROS_PER_CENT !== 0) return null
  return micros >= RECHARGE_MIN_MICROS && micros <= RECHARGE_MAX_MICROS ? micros : null
}
