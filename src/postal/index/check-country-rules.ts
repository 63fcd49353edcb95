/** Checks the rules of a country before use: a checksum does not prove their meaning. */

import { KEY_LENGTH_SLOTS } from '../format/city-hash.ts'
import { WRITTEN_BYTES_MAX } from '../format/layout.ts'
import { COMPLETENESS, type CountryRanges, type CountryRules } from '../format/meta.ts'
import { CODE_LENGTH_MAX } from '../limits.ts'
import { maskLength } from '../text/mask.ts'

const KEY = new RegExp(`^[A-Z0-9]{1,${CODE_LENGTH_MAX}}$`)
const SIGNS = /^[A-Z0-9]{1,36}$/
const SHAPE = new RegExp(`^[NA]{1,${CODE_LENGTH_MAX}}$`)

const PARTS_FIELDS = 3

/** Returns `value` as checked rules of a country. @throws RangeError that names the field */
export function checkedRules(value: unknown, ranges: CountryRanges): CountryRules {
  if (typeof value !== 'object' || value === null) throw new RangeError('a map expected')
  const { codeCount, placeStart, placeCount, aliasStart, aliasCount } = ranges
  const isCount = (number: unknown) => isWhole(number) && number <= codeCount
  const checks: Record<keyof CountryRules, (field: unknown) => boolean> = {
    completeness: field => (COMPLETENESS as readonly unknown[]).includes(field),
    sources: field => isListOf(field, isWhole),
    placeLengths: field => isLengths(field, placeStart, placeCount),
    aliasLengths: field => isLengths(field, aliasStart, aliasCount),
    padTo: field => isWhole(field) && field <= CODE_LENGTH_MAX,
    prefixes: field => isListOf(field, prefix => isText(prefix, KEY)),
    letters: field => isListOf(field, isWhole),
    tails: isTails,
    masks: field => isListOf(field, isMask),
    shapes: field => isListOf(field, shape => isText(shape, SHAPE)),
    examples: field => isListOf(field, key => isText(key, KEY)),
    parts: field => isListOf(field, isWhole) && [0, PARTS_FIELDS].includes((field as number[]).length),
    partTails: isTails,
    areaNames: field => field instanceof Uint8Array,
    positions: isCount,
    zoned: isCount,
    elevated: isCount,
    named: isCount,
  }
  const fields = value as Record<string, unknown>
  for (const [name, isRight] of Object.entries(checks))
    if (!isRight(fields[name]))
      throw new RangeError(`\`${name}\` is ${String(JSON.stringify(fields[name])).slice(0, 60)}`)
  return fields as unknown as CountryRules
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem)
}

function isTails(value: unknown): boolean {
  return isListOf(value, tail => isListOf(tail, signs => isText(signs, SIGNS)))
}

/** Returns true for the starts of key lengths: ascending from the start of a range to its end. */
function isLengths(value: unknown, start: number, count: number): boolean {
  return (
    Array.isArray(value) &&
    value.length === KEY_LENGTH_SLOTS + 1 &&
    value[0] === start &&
    value[KEY_LENGTH_SLOTS] === start + count &&
    value.every((at, slot) => isWhole(at) && (slot === 0 || at >= value[slot - 1]))
  )
}

function isMask(value: unknown): boolean {
  return (
    isText(value, /^[A-Z0-9 .#-]+$/) &&
    value.length <= WRITTEN_BYTES_MAX &&
    maskLength(value) <= CODE_LENGTH_MAX
  )
}
