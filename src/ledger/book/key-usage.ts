/** The numbers of a key, in its row of cells, and its histories. Counts are cumulative. */
import { FIRST_CLASSES, USAGE_CLASSES_COUNT } from '../usage-rows.ts'
import {
  CAP_MICROS_PLUS_1,
  type Cells,
  CREATED_MS,
  HISTORIES_END,
  HISTORIES_START,
  HOUR,
  HOUR_QUERIES,
  HOUR_SPENT_MICROS,
  LAST_USED_MS,
  MONTH,
  MONTH_SPENT_MICROS,
  QUERIES,
  REVOKED_MS,
  rowOf,
  SPENT_MICROS,
} from './cells.ts'
import { DAY_MS, DAYS_KEPT, History, HOUR_MS, HOURS_KEPT } from './history.ts'

/** Bytes before both packed histories: the length of the first (u16). */
const HISTORY_LENGTH_BYTES = 2
const NO_BYTES: Buffer = Buffer.alloc(0)

/** Classes without cells of their own. */
const FURTHER_CLASSES = USAGE_CLASSES_COUNT - FIRST_CLASSES

export class KeyUsage {
  protected readonly cells: Float64Array
  /** First cell of the row. */
  protected readonly row: number
  /** The histories of a snapshot, until they are read or changed. A start unpacks none of them. */
  #packed = NO_BYTES
  #hours: History | null = null
  #days: History | null = null
  /** Queries of the classes without cells, then those of the open hour. Null for a key that has used none of them. */
  #further: number[] | null = null

  /** Clears the row of `slot`. */
  protected constructor(cells: Cells, slot: number, createdMs: number) {
    this.cells = cells.clear(slot)
    this.row = rowOf(slot)
    this.cells[this.row + CREATED_MS] = createdMs
  }

  get createdMs(): number {
    return this.cells[this.row + CREATED_MS]
  }

  /** 0 while the key is active. */
  get revokedMs(): number {
    return this.cells[this.row + REVOKED_MS]
  }

  set revokedMs(timeMs: number) {
    this.cells[this.row + REVOKED_MS] = timeMs
  }

  /** Spend allowed in a UTC month, or null. */
  get capMicros(): number | null {
    const plus1 = this.cells[this.row + CAP_MICROS_PLUS_1]
    return plus1 === 0 ? null : plus1 - 1
  }

  set capMicros(micros: number | null) {
    this.cells[this.row + CAP_MICROS_PLUS_1] = micros === null ? 0 : micros + 1
  }

  get spentMicros(): number {
    return this.cells[this.row + SPENT_MICROS]
  }

  set spentMicros(micros: number) {
    this.cells[this.row + SPENT_MICROS] = micros
  }

  /** 0: never used. */
  get lastUsedMs(): number {
    return this.cells[this.row + LAST_USED_MS]
  }

  set lastUsedMs(timeMs: number) {
    this.cells[this.row + LAST_USED_MS] = timeMs
  }

  /** The month of the last usage, in UTC months since 1970. */
  get month(): number {
    return this.cells[this.row + MONTH]
  }

  set month(month: number) {
    this.cells[this.row + MONTH] = month
  }

  /** The spend in that month. */
  get monthSpentMicros(): number {
    return this.cells[this.row + MONTH_SPENT_MICROS]
  }

  set monthSpentMicros(micros: number) {
    this.cells[this.row + MONTH_SPENT_MICROS] = micros
  }

  /** Queries by usage class: a copy. */
  get queries(): number[] {
    return Array.from({ length: USAGE_CLASSES_COUNT }, (_, usage) => this.queriesOf(usage))
  }

  queriesOf(usage: number): number {
    if (usage < FIRST_CLASSES) return this.cells[this.row + QUERIES + usage]
    return this.#further === null ? 0 : this.#further[usage - FIRST_CLASSES]
  }

  /** Number of usage classes up to the last one that the key has used, or the first ones, which all keys store. */
  get classes(): number {
    if (this.#further === null) return FIRST_CLASSES
    let classes = USAGE_CLASSES_COUNT
    while (classes > FIRST_CLASSES && this.queriesOf(classes - 1) === 0) classes--
    return classes
  }

  /** Queries of all classes. */
  queriesSum(): number {
    let sum = 0
    for (let usage = 0; usage < USAGE_CLASSES_COUNT; usage++) sum += this.queriesOf(usage)
    return sum
  }

  /** For a key that a snapshot restores: what it has used before. */
  setQueries(usage: number, queries: number): void {
    if (usage < FIRST_CLASSES) this.cells[this.row + QUERIES + usage] = queries
    else if (queries > 0) this.#openFurther()[usage - FIRST_CLASSES] = queries
  }

  /** Brings a class without cells up to `queries`, in the open hour. False when it is not ahead. */
  raiseQueries(usage: number, queries: number): boolean {
    const added = queries - this.queriesOf(usage)
    if (added <= 0) return false
    const further = this.#openFurther()
    further[usage - FIRST_CLASSES] += added
    further[FURTHER_CLASSES + usage - FIRST_CLASSES] += added
    return true
  }

  #openFurther(): number[] {
    this.#further ??= new Array<number>(2 * FURTHER_CLASSES).fill(0)
    return this.#further
  }

  get hours(): History {
    this.#closeHour()
    return this.#readHours()
  }

  get days(): History {
    this.#closeHour()
    return this.#readDays()
  }

  /** Takes over `bytes[start, end)`, which must not change any more. @throws Error when the hours are cut short */
  restoreHistories(bytes: Buffer, start: number, end: number): void {
    if (start + HISTORY_LENGTH_BYTES > end || hoursEnd(bytes, start) > end) {
      throw new Error('the hours of a key are cut short')
    }
    this.#packed = bytes
    this.cells[this.row + HISTORIES_START] = start
    this.cells[this.row + HISTORIES_END] = end
  }

  /** No fewer bytes than `writeHistories` writes. */
  historiesBytesMax(): number {
    this.#closeHour()
    if (this.#isAsRestored()) return this.#end() - this.#start()
    return HISTORY_LENGTH_BYTES + this.#readHours().bytesMax + this.#readDays().bytesMax
  }

  /** Writes both histories as a snapshot stores them to `target` and returns where they end. */
  writeHistories(target: Buffer, offset: number): number {
    this.#closeHour()
    if (this.#isAsRestored()) return offset + this.#packed.copy(target, offset, this.#start(), this.#end())
    const hoursStart = offset + HISTORY_LENGTH_BYTES
    const hoursEnd = this.#readHours().writeTo(target, hoursStart)
    target.writeUInt16LE(hoursEnd - hoursStart, offset)
    return this.#readDays().writeTo(target, hoursEnd)
  }

  #isAsRestored(): boolean {
    return this.#packed !== NO_BYTES && this.#hours === null && this.#days === null
  }

  #start(): number {
    return this.cells[this.row + HISTORIES_START]
  }

  #end(): number {
    return this.cells[this.row + HISTORIES_END]
  }

  /** Begins to count the usage of an hour since 1970 in the cells of its own. */
  openHour(hour: number): void {
    this.#closeHour()
    this.cells[this.row + HOUR] = hour
  }

  /** Moves the usage of the open hour into the histories. */
  #closeHour(): void {
    const { cells, row } = this
    const timeMs = cells[row + HOUR] * HOUR_MS
    for (let usage = 0; usage < FIRST_CLASSES; usage++) {
      const queries = cells[row + HOUR_QUERIES + usage]
      if (queries === 0) continue
      this.#addToHistories(timeMs, usage, queries)
      cells[row + HOUR_QUERIES + usage] = 0
    }
    if (this.#further !== null) this.#closeFurther(this.#further, timeMs)
    const micros = cells[row + HOUR_SPENT_MICROS]
    if (micros === 0) return
    this.#readHours().addSpend(timeMs, micros)
    this.#readDays().addSpend(timeMs, micros)
    cells[row + HOUR_SPENT_MICROS] = 0
  }

  #closeFurther(further: number[], timeMs: number): void {
    for (let usage = FIRST_CLASSES; usage < USAGE_CLASSES_COUNT; usage++) {
      const at = FURTHER_CLASSES + usage - FIRST_CLASSES
      if (further[at] > 0) this.#addToHistories(timeMs, usage, further[at])
      further[at] = 0
    }
  }

  #addToHistories(timeMs: number, usage: number, queries: number): void {
    this.#readHours().addQueries(timeMs, usage, queries)
    this.#readDays().addQueries(timeMs, usage, queries)
  }

  #readHours(): History {
    if (this.#hours !== null) return this.#hours
    const start = this.#start()
    const end = this.#packed === NO_BYTES ? 0 : hoursEnd(this.#packed, start)
    const hoursStart = Math.min(start + HISTORY_LENGTH_BYTES, end)
    this.#hours = new History(HOUR_MS, HOURS_KEPT, this.#packed, hoursStart, end)
    return this.#hours
  }

  #readDays(): History {
    if (this.#days !== null) return this.#days
    const start = this.#packed === NO_BYTES ? 0 : hoursEnd(this.#packed, this.#start())
    this.#days = new History(DAY_MS, DAYS_KEPT, this.#packed, start, this.#end())
    return this.#days
  }
}

function hoursEnd(bytes: Uint8Array, start: number): number {
  return start + HISTORY_LENGTH_BYTES + bytes[start] + bytes[start + 1] * 256
}

/** Both histories of a key: the length of the hours (u16), the hours, the days. One piece is read faster than two. */
export function joinHistories(hours: Uint8Array, days: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(HISTORY_LENGTH_BYTES + hours.length + days.length)
  bytes[0] = hours.length % 256
  bytes[1] = hours.length >> 8
  bytes.set(hours, HISTORY_LENGTH_BYTES)
  bytes.set(days, HISTORY_LENGTH_BYTES + hours.length)
  return bytes
}
