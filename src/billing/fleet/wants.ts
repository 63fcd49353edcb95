/**
 * Decides what a node asks for an account, from counters that were read:
 *
 *   10 are left here, 100 elsewhere. Requests of one key wait, in this order:
 *
 *   request  needs               asked as
 *   200      more than there is  nothing
 *   60       60                  `others` 60
 *   30       30, 10 are here     `needed` 20: the smallest first, so that it is granted before others
 */
import type { Shortfall } from '../accounts/charging/charging.ts'
import type { ActiveAccount } from './active-account.ts'
import { type CounterId, FIRST_WINDOW, type Want } from './messages.ts'

export interface Counter extends CounterId {
  isOfAccount: boolean
  /** Amount of one query. */
  unit: number
}

export type ReadCounter = Counter & { left: number; elsewhere: number }

/**
 * Returns the wants of an account. The key that waits first needs its smallest payable request: a large one
 * does not block it.
 */
export function wantsOf(active: ActiveAccount, counters: readonly ReadCounter[]): Want[] {
  const account = active.record.slot
  const { payable, sums } = payableRequests(active, counters)
  const [first] = payable
    .filter(({ keySlot }) => keySlot === payable[0].keySlot)
    .sort((a, b) => a.queries - b.queries)
  const ofFirst = first === undefined ? [] : neededBy(first, counters)
  return counters.flatMap(counter => {
    const { holder, kind, unit, left, elsewhere } = counter
    const needed = ofFirst.includes(counter) ? Math.max(0, first.queries * unit - left) : 0
    const others = Math.max(0, (sums.get(counter) ?? 0) - left - needed)
    const ahead = elsewhere > 0 ? active.missingQueries(Math.floor(left / unit)) * unit : 0
    return needed + others + ahead > 0 ? { account, holder, kind, needed, others, ahead } : []
  })
}

/** Returns `enough` to charge a waiting request now, `refused` to refuse it finally; null to wait. */
export function outcomeOf(request: Shortfall, counters: readonly ReadCounter[]): 'enough' | 'refused' | null {
  const lacks = neededBy(request, counters).filter(({ left, unit }) => left < request.queries * unit)
  if (lacks.length === 0) return 'enough'
  return lacks.some(({ left, elsewhere, unit }) => left + elsewhere < request.queries * unit)
    ? 'refused'
    : null
}

/**
 * Returns the requests that the counters can pay together, and the sums that these need. In the order of
 * waiting, a request that exceeds the rest is left out.
 */
function payableRequests({ waiting }: ActiveAccount, counters: readonly ReadCounter[]) {
  const sums = new Map<ReadCounter, number>()
  const payable = [...waiting].flatMap(({ shortfall: request }) => {
    const sumOf = (counter: ReadCounter) => (sums.get(counter) ?? 0) + request.queries * counter.unit
    if (neededBy(request, counters).some(one => sumOf(one) > one.left + one.elsewhere)) return []
    // It will also need balance and cap.
    for (const one of neededBy({ ...request, pays: true }, counters)) sums.set(one, sumOf(one))
    return request
  })
  return { payable, sums }
}

function neededBy({ keySlot, pays }: Shortfall, counters: readonly ReadCounter[]): ReadCounter[] {
  return counters.filter(
    ({ holder, kind, isOfAccount }) => (isOfAccount || holder === keySlot) && (pays || kind >= FIRST_WINDOW),
  )
}
