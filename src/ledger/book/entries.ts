/** What credits and adjustments are on a statement. */
import type { AdjustEvent, CreditEvent } from '../event.ts'
import type { Entry } from './record.ts'

export function creditEntry(event: CreditEvent, timeMs: number, sequence: number): Entry {
  const { credit: kind, micros, debtPaidMicros, reference, note } = event
  const gainMicros = micros - debtPaidMicros
  return { sequence, timeMs, kind, balanceMicros: gainMicros, debtMicros: -debtPaidMicros, reference, note }
}

export function adjustEntry(event: AdjustEvent, timeMs: number, sequence: number): Entry {
  const { adjust: kind, micros, takenMicros, reference, note } = event
  const debtMicros = micros - takenMicros
  return { sequence, timeMs, kind, balanceMicros: -takenMicros, debtMicros, reference, note }
}
