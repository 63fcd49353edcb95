/** Compares two indexes code by code. */

import type { Country } from '../../src/postal/index/country.ts'
import { withIndex } from '../../src/postal/index/open-index.ts'
import { countriesOf, countryByText, type PostalIndex } from '../../src/postal/index/postal-index.ts'
import { kmBetween } from '../distance.ts'
import { type CodeView, codeOfKey, viewAdmin, viewCode } from './code-view.ts'

/** Largest move that is not reported. Middles of places shift with every build. */
export const MOVED_KM = 10

interface CodeChange {
  code: string
  /** Name, `lat,lon` (empty without a position), or the fields that differ. */
  before: string
  after: string
}

interface Changes {
  added: string[]
  removed: string[]
  moved: CodeChange[]
  renamed: CodeChange[]
  /** Codes with another area, time zone, elevation, accuracy, kind or written form. */
  changed: CodeChange[]
}

export interface CountryDifference extends Changes {
  country: string
  /** Numbers of all differing codes. The lists have only the first. */
  counts: Record<keyof Changes, number>
}

/**
 * Returns the countries that differ, ascending. Takes some microseconds a code.
 * @param limit maximum length of each list of a country
 * @throws IndexFileError, or the system's error
 */
export function compareIndexes(before: string, after: string, limit: number): CountryDifference[] {
  return withIndex(before, old =>
    withIndex(after, current => {
      const names = new Set([...countriesOf(old), ...countriesOf(current)].map(({ cc }) => cc))
      return [...names]
        .sort()
        .map(country => compareCountry(country, old, current, limit))
        .filter(({ counts }) => Object.values(counts).some(count => count > 0))
    }),
  )
}

function compareCountry(
  cc: string,
  old: PostalIndex,
  current: PostalIndex,
  limit: number,
): CountryDifference {
  const counts = { added: 0, removed: 0, moved: 0, renamed: 0, changed: 0 }
  const changes: Changes = { added: [], removed: [], moved: [], renamed: [], changed: [] }
  const note = <Kind extends keyof Changes>(kind: Kind, change: Changes[Kind][number]) => {
    if (counts[kind]++ < limit) (changes[kind] as Changes[Kind][number][]).push(change)
  }
  const [oldCountry, currentCountry] = [old, current].map(index => countryByText(index, cc))
  for (const before of codesOf(old, oldCountry)) {
    const code = before.written
    const after = viewOf(current, currentCountry, before.key)
    if (after === undefined) {
      note('removed', code)
      continue
    }
    if (before.city !== after.city) note('renamed', { code, before: before.city, after: after.city })
    if (hasMoved(before, after)) note('moved', { code, before: position(before), after: position(after) })
    const fields = differingFields(fieldsOf(old, before), fieldsOf(current, after))
    if (fields !== null) note('changed', { code, ...fields })
  }
  for (const after of codesOf(current, currentCountry))
    if (viewOf(old, oldCountry, after.key) === undefined) note('added', after.written)
  return { country: cc, counts, ...changes }
}

function* codesOf(index: PostalIndex, country: Country | null | undefined): Iterable<CodeView> {
  if (country == null) return
  const { codeStart, codeCount } = country.meta
  for (let code = codeStart; code < codeStart + codeCount; code++) yield viewCode(index, country, code)
}

function viewOf(index: PostalIndex, country: Country | null | undefined, key: string): CodeView | undefined {
  if (country == null) return undefined
  const code = codeOfKey(index, country, key)
  return code < 0 ? undefined : viewCode(index, country, code)
}

function fieldsOf(
  index: PostalIndex,
  { admin, written, timezone, elevation, grade, kind }: CodeView,
): Record<string, string> {
  const { extra, ...areas } = viewAdmin(index, admin)
  return {
    ...areas,
    ...extra,
    timezone,
    elevation: Number.isNaN(elevation) ? '' : String(elevation),
    accuracy: grade,
    kind,
    written,
  }
}

function differingFields(
  before: Record<string, string>,
  after: Record<string, string>,
): { before: string; after: string } | null {
  const names = Object.keys({ ...before, ...after }).filter(name => before[name] !== after[name])
  const text = (fields: Record<string, string>) =>
    names.map(name => `${name} ${JSON.stringify(fields[name] ?? '')}`)
  return names.length === 0 ? null : { before: text(before).join(', '), after: text(after).join(', ') }
}

/** Returns true if the position moved, appeared or disappeared. */
function hasMoved(before: CodeView, after: CodeView): boolean {
  return Number.isNaN(before.lat) !== Number.isNaN(after.lat) || kmBetween(before, after) > MOVED_KM
}

function position({ lat, lon }: CodeView): string {
  return Number.isNaN(lat) ? '' : `${lat},${lon}`
}
