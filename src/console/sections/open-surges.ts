import { type Spend, SURGE_MICROS_MIN, type Surge } from '../reports/spend.ts'
import { sumOf } from '../reports/usage-series.ts'
import type { Dashboard } from '../session/page-context.ts'

/** Returns the surges whose present secret may have leaked. In the hour of a roll, both secrets are used. */
export async function openSurges(
  { accounts, audit }: Dashboard,
  account: string,
  spend: Spend,
): Promise<Surge[]> {
  const surges = spend.surges()
  if (surges.length === 0) return []
  const { rows } = await audit.page(account, 1, ({ what }) => what === 'roll' || what === 'overlap')
  return surges.filter(({ key: { id, earlier } }) => {
    const last = rows.find(({ key }) => key === id)
    if (last === undefined || earlier !== null) return true
    const aloneMs = Math.max(last.timeMs, Number(last.details.untilMs))
    const since = accounts.usage(account, { by: 'hour', key: id, fromMs: aloneMs })
    return sumOf(since.map(({ spentMicros }) => spentMicros)) >= SURGE_MICROS_MIN
  })
}
