/** Usage and money of the whole service, for operators. */
import { pauses } from '../../../platform/promises.ts'
import { DAY_MS, HOUR_MS } from '../../../platform/time.ts'
import type { Book } from '../../ledger/book/book.ts'
import { type AccountRecord, balanceMicros, type Entry, queriesSum } from '../../ledger/book/record.ts'
import type { EntryKind } from '../../ledger/event.ts'

const SERVICE_DAYS = 90
const SERVICE_HOURS = 48
const SERVICE_MONTHS = 12

export type ServiceUsage = Awaited<ReturnType<typeof serviceUsage>>
type Span = ReturnType<typeof spanFrom>

/**
 * Adds up usage and money by day, hour and month, and since the start, between other work. Takes 0.2 ms a
 * key. Payments and credits since the start are what was spent, forfeited and returned, and the balances less debts.
 */
export async function serviceUsage(book: Book, nowMs: number) {
  const firstDay = Math.floor(nowMs / DAY_MS) - SERVICE_DAYS + 1
  const firstHour = Math.floor(nowMs / HOUR_MS) - SERVICE_HOURS + 1
  const days = Array.from({ length: SERVICE_DAYS }, (_, at) => spanFrom((firstDay + at) * DAY_MS))
  const hours = Array.from({ length: SERVICE_HOURS }, (_, at) => {
    return { startMs: (firstHour + at) * HOUR_MS, queries: 0 }
  })
  const today = new Date(nowMs)
  const months = Array.from({ length: SERVICE_MONTHS }, (_, at) =>
    spanFrom(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1 - SERVICE_MONTHS + at)),
  )
  const total = spanFrom(0)
  const present = { balanceMicros: 0, debtMicros: 0, closedDebtMicros: 0 }
  const monthOf = (ms: number) => months.findLast(({ startMs }) => startMs <= ms)
  const pause = pauses()
  const spansOf = (ms: number) =>
    [days[Math.floor(ms / DAY_MS) - firstDay], monthOf(ms), total].filter(span => span !== undefined)
  for (const account of book.accounts.values()) {
    for (const span of spansOf(account.createdMs)) span.accounts++
    for (const entry of account.entries) for (const span of spansOf(entry.timeMs)) addEntry(span, entry)
    total.micros += account.spentMicros
    present.balanceMicros += balanceMicros(account)
    present.debtMicros += account.debtMicros
    if (account.standing?.state === 'closed') present.closedDebtMicros += account.debtMicros
    const spentMicros = new Array<number>(SERVICE_DAYS).fill(0)
    for (const key of account.keys) {
      await pause()
      key.days.each((startMs, queries, micros) => {
        const at = startMs / DAY_MS - firstDay
        if (days[at] === undefined) return
        days[at].queries += queriesSum({ queries })
        spentMicros[at] += micros
      })
      key.hours.each((startMs, queries) => {
        const hour = hours[startMs / HOUR_MS - firstHour]
        if (hour !== undefined) hour.queries += queriesSum({ queries })
      })
    }
    addSpend(days, account, spentMicros)
  }
  for (const { startMs, micros, earnedMicros } of days) {
    const month = monthOf(startMs)
    if (month === undefined) continue
    month.micros += micros
    month.earnedMicros += earnedMicros
  }
  return { days, hours, months, total, present }
}

/** Returns the sums of a day, a month, or the time since the start. */
function spanFrom(startMs: number) {
  return {
    startMs,
    /** New accounts. */
    accounts: 0,
    queries: 0,
    micros: 0,
    /** `micros` without free queries, which an account uses first. */
    earnedMicros: 0,
    /** Payments, without test payments. */
    paidMicros: 0,
    /** Test payments. No money came in. */
    testMicros: 0,
    /** Refunds and disputes of payments, less what undid them. What exceeds a balance is owed. */
    returnedMicros: 0,
    /** Credits of operators, such as for a bank transfer. */
    creditedMicros: 0,
    /** Refunds that operators recorded of their credits. */
    recordedMicros: 0,
    /** Free credit of new accounts. */
    freeMicros: 0,
    /** Balances of closed accounts. */
    forfeitedMicros: 0,
  }
}

/** Sum of each kind of entry. Those that have their payment belong to `returnedMicros`. */
const SUMS: Readonly<Record<EntryKind, keyof Span>> = {
  payment: 'paidMicros',
  test: 'testMicros',
  operator: 'creditedMicros',
  free: 'freeMicros',
  refund: 'recordedMicros',
  dispute: 'returnedMicros',
  reinstated: 'returnedMicros',
  closed: 'forfeitedMicros',
}

/** Sums of what left the balances, as positive numbers. */
const OUTGOING: readonly (keyof Span)[] = ['returnedMicros', 'recordedMicros', 'forfeitedMicros']

function addEntry(span: Span, { kind, balanceMicros, debtMicros, payment }: Entry): void {
  const sum = payment === undefined ? SUMS[kind] : 'returnedMicros'
  span[sum] += (balanceMicros - debtMicros) * (OUTGOING.includes(sum) ? -1 : 1)
}

function addSpend(days: readonly Span[], account: AccountRecord, spentMicros: readonly number[]): void {
  const free = account.entries.filter(({ kind }) => kind === 'free')
  const freeMicros = sumOf(free.map(({ balanceMicros }) => balanceMicros))
  let leftMicros = freeMicros - account.spentMicros + sumOf(spentMicros)
  for (const [at, micros] of spentMicros.entries()) {
    days[at].micros += micros
    days[at].earnedMicros += micros - Math.min(micros, Math.max(0, leftMicros))
    leftMicros -= micros
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
