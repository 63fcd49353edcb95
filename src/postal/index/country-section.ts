/** Sections CTRY and RULE: ranges of every country, checked at once, and rules, unpacked on first use. */
import { unpack } from 'msgpackr/unpack'
import { KEY_LENGTH_SLOTS } from '../format/city-hash.ts'
import { COUNTRY_WORDS, type CountryEntryFields, readCountry } from '../format/country-entry.ts'
import { WRITTEN_BYTES_MAX } from '../format/layout.ts'
import { COMPLETENESS, type CountryMeta, type CountryRanges, type CountryRules } from '../format/meta.ts'
import { LINK_AT } from '../format/trie-layout.ts'
import { CODE_LENGTH_MAX } from '../limits.ts'
import { maskLength } from '../text/mask.ts'
import { IndexFileError } from './index-file-error.ts'
import { isListOf, isText } from './meta-section.ts'
import type { SectionFile } from './sections.ts'

/** Checks the ranges of every country. @param rules a copy, which views may outlive @throws IndexFileError */
export function countrySection({ sections }: SectionFile, rules: Uint8Array, path: string) {
  const { CTRY, TRIE, CODE, PLAC, ALIA, NAME, TEXT } = sections
  const words = new Uint32Array(CTRY.bytes.buffer, CTRY.bytes.byteOffset, CTRY.count * COUNTRY_WORDS)
  const [trieWords, records] = [TRIE.count, CODE.count]
  const entries = new Map<string, CountryEntryFields>()
  let previous = ''
  for (let at = 0; at < words.length; at += COUNTRY_WORDS) {
    const entry = readCountry(words, at)
    const { cc } = entry
    if (!/^[A-Z]{2}$/.test(cc) || cc <= previous)
      throw new IndexFileError(
        path,
        `CTRY has ${JSON.stringify(cc)} after ${JSON.stringify(previous)}, two capitals in ascending order expected`,
      )
    const isInside =
      (entry.root & LINK_AT) < trieWords &&
      entry.textStart <= TEXT.bytes.length &&
      entry.codeStart + entry.codeCount <= records &&
      entry.placeStart + entry.placeCount <= PLAC.count &&
      entry.aliasStart + entry.aliasCount <= ALIA.count &&
      entry.nameStart + entry.nameCount <= NAME.count &&
      entry.rulesStart + entry.rulesBytes <= rules.length
    if (!isInside) throw new IndexFileError(path, `the ranges of ${cc} leave their sections`)
    entries.set(cc, entry)
    previous = cc
  }

  /** Returns ranges and rules of a country of `names`. @throws IndexFileError if its rules cannot be read */
  const read = (cc: string): CountryMeta => {
    const { rulesStart, rulesBytes, ...ranges } = entries.get(cc) as CountryEntryFields
    try {
      const checked = checkedRules(unpack(rules.subarray(rulesStart, rulesStart + rulesBytes)), ranges)
      const [link, first, count] = checked.parts
      if (checked.parts.length > 0 && !((link & LINK_AT) < trieWords && first + count <= records))
        throw new RangeError(`\`parts\` is ${checked.parts}, which leaves TRIE or CODE`)
      return { ...ranges, ...checked }
    } catch (cause) {
      const reason = cause instanceof RangeError ? `: ${cause.message}` : ''
      throw new IndexFileError(path, `the rules of ${cc} cannot be read${reason}`, { cause })
    }
  }
  return { names: [...entries.keys()], read }
}

const KEY = new RegExp(`^[A-Z0-9]{1,${CODE_LENGTH_MAX}}$`)
const SIGNS = /^[A-Z0-9]{1,36}$/
const SHAPE = new RegExp(`^[NA]{1,${CODE_LENGTH_MAX}}$`)

const PARTS_FIELDS = 3

/** Checks rules of a country: a checksum does not prove their meaning. @throws RangeError that names the field */
function checkedRules(value: unknown, ranges: CountryRanges): CountryRules {
  if (typeof value !== 'object' || value === null) throw new RangeError('a map expected')
  const { codeCount, placeStart, placeCount, aliasStart, aliasCount } = ranges
  const isCount = (number: unknown) => isWhole(number) && number <= codeCount
  const checks: Record<keyof CountryRules, (field: unknown) => boolean> = {
    completeness: field => (COMPLETENESS as readonly unknown[]).includes(field),
    sources: field => isListOf(field, isWhole),
    placeLengths: field => isLengths(field, placeStart, placeCount),
    aliasLengths: field => isLengths(field, aliasStart, aliasCount),
    padTo: field => isWhole(field) && field <= CODE_LENGTH_MAX,
    prefixes: field => isListOf(field, prefix => isForm(prefix, KEY)),
    letters: field => isListOf(field, isWhole),
    tails: isTails,
    masks: field => isListOf(field, isMask),
    shapes: field => isListOf(field, shape => isForm(shape, SHAPE)),
    examples: field => isListOf(field, key => isForm(key, KEY)),
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

function isForm(value: unknown, form: RegExp): value is string {
  return isText(value) && form.test(value)
}

function isTails(value: unknown): boolean {
  return isListOf(value, tail => isListOf(tail, signs => isForm(signs, SIGNS)))
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
    isForm(value, /^[A-Z0-9 .#-]+$/) &&
    value.length <= WRITTEN_BYTES_MAX &&
    maskLength(value) <= CODE_LENGTH_MAX
  )
}
