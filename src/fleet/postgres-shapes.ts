/** The rows and JSON that the functions in `sql/` take and return, as the types of the store. */
import type { LedgerEvent } from '../ledger/event.ts'
import type {
  AccountShare,
  Admission,
  CapShare,
  Committed,
  Exchange,
  ExchangeAnswer,
  FleetNotice,
  KeyCounts,
  KeyHour,
} from './store.ts'

type CapRow = [key: number, grantedMicros: number, elsewhereMicros: number, validMs: number]
type AdmissionRow = [
  granted: number,
  validMs: number,
  waitMs: number,
  isHeldElsewhere: boolean,
  minute: number,
  hour: number,
  day: number,
]
type ShareRow = [
  account: number,
  grantedMicros: number,
  elsewhereMicros: number,
  isHeldElsewhere: boolean,
  cap: CapRow | null,
  admission: AdmissionRow | null,
]

/** The four parts of an exchange, each as JSON. */
export function exchangeParts({ reports, admitted, returns, wants }: Exchange): string[] {
  return [
    countsJson(reports),
    JSON.stringify(admitted),
    JSON.stringify(returns),
    JSON.stringify(
      wants.map(want => ({
        account: want.account,
        key: want.key,
        needed: want.neededMicros,
        ahead: want.aheadMicros,
        needed_admissions: want.neededAdmissions,
        ahead_admissions: want.aheadAdmissions,
      })),
    ),
  ]
}

export function countsJson(counts: readonly KeyCounts[]): string {
  return JSON.stringify(counts.map(({ key, queries }) => ({ key, queries })))
}

export function exchangeAnswer(answer: unknown): ExchangeAnswer {
  const { shares, recalls, left, sequence } = answer as {
    shares: ShareRow[]
    recalls: number[]
    left: number[]
    sequence: number
  }
  return { accounts: shares.map(share), recalls, left, sequence }
}

function share([account, grantedMicros, elsewhereMicros, isHeldElsewhere, cap, row]: ShareRow): AccountShare {
  return {
    account,
    grantedMicros,
    elsewhereMicros,
    isHeldElsewhere,
    cap: cap === null ? null : capShare(cap),
    admission: row === null ? null : admission(row),
  }
}

function capShare([key, grantedMicros, elsewhereMicros, validMs]: CapRow): CapShare {
  return { key, grantedMicros, elsewhereMicros, validMs }
}

function admission([granted, validMs, waitMs, isHeldElsewhere, ...counts]: AdmissionRow): Admission {
  return { granted, validMs, waitMs, isHeldElsewhere, counts }
}

export function committedOf(row: unknown): Committed {
  const [sequence, timeMs, events] = row as [number, number, LedgerEvent[]]
  return { sequence, timeMs, events }
}

export function countsOf(row: unknown): KeyCounts {
  const [key, queries] = row as [number, number[]]
  return { key, queries }
}

export function keyHourOf(row: unknown): KeyHour {
  const [hour, key, queries] = row as [number, number, number[]]
  return { hour, key, queries }
}

/** What a notice says: `committed 17`, or `recall 3,5`. Nothing for one of a later version. */
export function noticesOf(payload: string): FleetNotice[] {
  const [kind, text = ''] = payload.split(' ')
  const numbers = text.split(',').map(Number)
  if (!numbers.every(Number.isSafeInteger)) return []
  if (kind === 'committed') return numbers.map(sequence => ({ kind, sequence }))
  if (kind === 'recall') return numbers.map(account => ({ kind, account }))
  return []
}
