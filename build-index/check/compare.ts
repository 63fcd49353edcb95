/** Compares two indexes code by code. */

import type { Country } from '../../src/index/country.ts'
import { withIndex } from '../../src/index/open-index.ts'
import { countriesOf, countryByText, type PostalIndex } from '../../src/index/postal-index.ts'
import { kmBetween } from '../distance.ts'
import { type CodeView, codeOfKey, viewAdmin, viewCode } from './code-view.ts'

/** Largest move that is not reported. Middles of places shift with every build. */
export const MOVED_KM = 10

type Change = 'added' | 'removed' | 'moved' | 'renamed' | 'changed'

interface CodeChange {
  code: string
  /** Name, `lat,lon` (empty without a position), or the fields that differ. */
  before: string
  after: string
}

export interface CountryDifference {
  country: string
  /** Numbers of all differing codes. The lists have only the first. */
  counts: Record<Change, number>
  added: string[]
  removed: string[]
  moved: CodeChange[]
  renamed: CodeChange[]
  /** Codes with another area, time zone, elevation, accuracy, kind or written form. */
  changed: CodeChange[]
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
  const difference: CountryDifference = {
    country: cc,
    counts,
    added: [],
    removed: [],
    moved: [],
    renamed: [],
    changed: [],
  }
  const noteCode = (kind: 'added' | 'removed', code: string) => {
    if (counts[kind]++ < limit) difference[kind].push(code)
  }
  const noteChange = (kind: 'moved' | 'renamed' | 'changed', code: string, before: string, after: string) => {
    if (counts[kind]++ < limit) difference[kind].push({ code, before, after })
  }
  const [oldCountry, currentCountry] = [old, current].map(index => countryByText(index, cc))
  for (const before of codesOf(old, oldCountry)) {
    const after = viewOf(current, currentCountry, before.key)
    if (after === undefined) noteCode('removed', before.written)
    else {
      if (before.city !== after.city) noteChange('renamed', before.written, before.city, after.city)
      if (hasMoved(before, after)) noteChange('moved', before.written, position(before), position(after))
      const fields = differingFields(fieldsOf(old, before), fieldsOf(current, after))
      if (fields !== null) noteChange('changed', before.written, ...fields)
    }
  }
  for (const after of codesOf(current, currentCountry))
    if (viewOf(old, oldCountry, after.key) === undefined) noteCode('added', after.written)
  return difference
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
): [before: string, after: string] | null {
  const names = Object.keys({ ...before, ...after }).filter(name => before[name] !== after[name])
  const text = (fields: Record<string, string>) =>
    names.map(name => `${name} ${JSON.stringify(fields[name] ?? '')}`)
  return names.length === 0 ? null : [text(before).join(', '), text(after).join(', ')]
}

/** Returns true if the position moved, appeared or disappeared. */
function hasMoved(before: CodeView, after: CodeView): boolean {
  return Number.isNaN(before.lat) !== Number.isNaN(after.lat) || kmBetween(before, after) > MOVED_KM
}

function position({ lat, lon }: CodeView): string {
  return Number.isNaN(lat) ? '' : `${lat},${lon}`
}
