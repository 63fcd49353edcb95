/** Handles records with an existing code and its exact city and state, the most frequent kind, undecoded. */

import { ADMIN_WORD, ADMIN_WORDS, adminBefore } from '../../postal/format/admin-entry.ts'
import { nameOfCode } from '../../postal/format/code-entry.ts'
import { WRITTEN_BYTES_MAX } from '../../postal/format/layout.ts'
import { CodeQuery } from '../../postal/index/codes/code-query.ts'
import { copyWritten } from '../../postal/index/codes/written.ts'
import { COUNTRY_SLOTS, countrySlot, countrySlotOf, slotText } from '../../postal/index/country-table.ts'
import type { PostalIndex } from '../../postal/index/postal-index.ts'
import { countryLetters } from '../../postal/library/country-texts.ts'
import { BACKSLASH } from '../../postal/text/json.ts'
import { isPlain } from './csv-reader.ts'
import { columnNumbers, type ResultLines } from './input-records.ts'
import { MEMBERS, type RecordBytes } from './json-line-reader.ts'
import type { CheckPlan } from './plan.ts'

/** Country slots by the slot of two letters: the slot of `UK` leads to `GB`. */
const SYNONYM_SLOTS = Int16Array.from({ length: COUNTRY_SLOTS }, (_, slot) =>
  countrySlotOf(countryLetters(slotText(slot)) ?? ''),
)
const [DOT, ZERO, LETTER_A, LETTER_Z] = Buffer.from('.0az')
/** Difference between a small letter and its capital. */
const CASE_BIT = 0x20

/** Returns a function that adds the result of a record and returns true, or adds nothing. */
export function exactRecords(index: PostalIndex, plan: CheckPlan) {
  const { compared, delimiter, lineEnd, prefix } = plan
  const isCsv = plan.to === 'csv'
  const member = (name: string, json: string) => `${JSON.stringify(prefix + name)}:${json}`
  const columns = isCsv ? columnNumbers(plan) : { ...MEMBERS }
  const query = new CodeQuery()
  /** Character that a written code must not have, besides quotes. */
  const special = (isCsv ? delimiter : '\\').charCodeAt(0)
  const begin = Buffer.from(isCsv ? '' : '{')
  const valid = Buffer.from(
    isCsv ? `${delimiter}true${delimiter}` : `,${member('valid', 'true')},${member('normalized', '"')}`,
  )
  /** Text after the code, by the given fields: none, city, state, both. */
  const endings = [[], ['city'], ['state'], ['city', 'state']].map(given => {
    const fits = compared.map(name =>
      isCsv
        ? `${delimiter}${given.includes(name) ? 'match' : ''}${delimiter}`
        : given.includes(name)
          ? `,${member(`${name}Verdict`, '"match"')}`
          : '',
    )
    const reason = isCsv ? `${delimiter}${delimiter}` : `",${member('reason', 'null')}`
    return Buffer.from(`${reason}${fits.join('')}${isCsv ? '' : '}'}${lineEnd}`)
  })
  /** Bytes that a result adds at most to the record and the code. */
  const addedBytes = Math.max(...endings.map(({ length }) => length)) + valid.length + 1

  function add(record: RecordBytes, results: ResultLines): boolean {
    const { bytes, starts, ends } = record
    const { codeAt, cityAt, stateAt } = columns
    const slot = slotOf(record)
    const country = index.countries.at(slot)
    const codeEnd = ends[codeAt]
    // A decimal number: `1013.0` is not 10130.
    if (bytes[codeEnd - 1] === ZERO && bytes[codeEnd - 2] === DOT) return false
    if (!country || !query.set(bytes, starts[codeAt], codeEnd)) return false
    const code = query.resolve(index.trie, country)
    if (code < 0) return false
    const hasCity = cityAt >= 0 && starts[cityAt] < ends[cityAt]
    const hasState = stateAt >= 0 && starts[stateAt] < ends[stateAt]
    const name = hasCity || hasState ? nameOfCode(index, country, code) : 0
    if (hasCity && !isText(index.text, name, bytes, starts[cityAt], ends[cityAt])) return false
    if (hasState && !isState(adminBefore(index.text, name), bytes, starts[stateAt], ends[stateAt]))
      return false

    const out = results.ensureRoom(record.end - record.start + WRITTEN_BYTES_MAX + addedBytes)
    let at = put(out, results.length, begin, 0, begin.length)
    at = put(out, at, bytes, record.start, record.end)
    at = put(out, at, valid, 0, valid.length)
    const written = at
    at = copyWritten(country, query, out, at)
    for (let i = written; i < at; i++) if (!isPlain(out[i], special)) return false
    const ending = endings[(hasCity ? 1 : 0) + (hasState ? 2 : 0)]
    results.length = put(out, at, ending, 0, ending.length)
    results.countValid(slot)
    if (hasCity) results.counts.fits.city.match++
    if (hasState) results.counts.fits.state.match++
    return true
  }

  function slotOf(record: RecordBytes): number {
    const { countryAt } = columns
    const start = countryAt < 0 ? 0 : record.starts[countryAt]
    if (countryAt >= 0 && record.ends[countryAt] - start === 2) {
      const slot = countrySlot(record.bytes[start], record.bytes[start + 1])
      return slot < 0 ? slot : SYNONYM_SLOTS[slot]
    }
    return countrySlotOf(countryLetters(record.field(countryAt).trim() || (plan.country ?? '')) ?? '')
  }

  /** True if the bytes are the name or code of the area of level 1. */
  function isState(admin: number, bytes: Uint8Array, start: number, end: number): boolean {
    const { text, admins } = index
    const first = admin * ADMIN_WORDS
    return (
      isText(text, admins[first + ADMIN_WORD.name1], bytes, start, end) ||
      isText(text, admins[first + ADMIN_WORD.code1], bytes, start, end)
    )
  }

  return add
}

/** Copies `bytes[start, end)` to `out`, and returns the end. For short records faster than `set`. */
function put(out: Uint8Array, at: number, bytes: Uint8Array, start: number, end: number): number {
  for (let i = start; i < end; i++) out[at++] = bytes[i]
  return at
}

/** Returns true if the bytes are the string at `offset`, in any case of A to Z. Skips long strings. */
function isText(text: Uint8Array, offset: number, bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start
  if (length >= 0x80 || text[offset] !== length) return false
  for (let i = 0; i < length; i++) {
    const byte = bytes[start + i]
    const other = text[offset + 1 + i]
    const lower = byte | CASE_BIT
    const isOtherCase = lower >= LETTER_A && lower <= LETTER_Z && (byte ^ other) === CASE_BIT
    if (byte === BACKSLASH || (byte !== other && !isOtherCase)) return false
  }
  return true
}
