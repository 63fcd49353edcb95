/** Reads a written index back. A test compares every field with the builder's input. */
import { isPlaced, latitude, longitude } from '../../src/postal/format/code-entry.ts'
import { NAME_ENTRY, NAME_WORDS, nameEntry } from '../../src/postal/format/names.ts'
import { nameOfEntry } from '../../src/postal/index/cities/city-names.ts'
import type { Country } from '../../src/postal/index/country.ts'
import { findNearest } from '../../src/postal/index/nearest.ts'
import { verifyIndex, withIndex } from '../../src/postal/index/open-index.ts'
import { countriesOf, type PostalIndex } from '../../src/postal/index/postal-index.ts'
import { plainText } from '../../src/postal/index/text-section.ts'
import { nameText } from '../../src/postal/text/city.ts'
import { codeOfKey, keyOf } from '../check/keys.ts'

export class VerificationError extends Error {
  override name = 'VerificationError'
}

/**
 * Checks the checksums of a file, that each key leads to its code, that names are in order, and nearest.
 * @throws IndexFileError, VerificationError
 */
export function verifyFile(path: string): { codes: number; buildId: string } {
  return withIndex(path, index => {
    verifyIndex(index)
    for (const country of countriesOf(index)) {
      verifyKeys(index, country)
      verifyNames(index, country)
    }
    verifyNear(index)
    return { codes: index.file.codeCount, buildId: index.file.buildId }
  })
}

function verifyKeys(index: PostalIndex, country: Country): void {
  const { codeStart, codeCount } = country
  for (let code = codeStart; code < codeStart + codeCount; code++) {
    const key = keyOf(index, country, code)
    if (codeOfKey(index, country, key) !== code)
      throw new VerificationError(`${index.path}: ${country.cc} ${key} is not found under its own key`)
  }
}

function verifyNames(index: PostalIndex, country: Country): void {
  const { nameStart, nameCount } = country.meta
  const entries = new Set<number>()
  let last = ''
  for (let name = nameStart; name < nameStart + nameCount; name++) {
    const entry = nameEntry(index.names[name * NAME_WORDS + NAME_ENTRY])
    const offset = nameOfEntry(index, country, entry)
    const text = offset < 0 ? '' : nameText(plainText(index.text, offset))
    if (text === '' || text < last || entries.has(entry))
      throw new VerificationError(`${index.path}: the names of ${country.cc} are not in order at ${text}`)
    entries.add(entry)
    last = text
  }
}

/** Number of codes that nearest is tried for: some microseconds each. */
const NEAR_SAMPLES = 1000

function verifyNear(index: PostalIndex): void {
  const { codes, file, path } = index
  const step = Math.max(1, Math.floor(file.codeCount / NEAR_SAMPLES))
  for (let code = 0; code < file.codeCount; code += step) {
    if (!isPlaced(codes, code)) continue
    const query = { north: latitude(codes, code), east: longitude(codes, code), radius: 1, limit: 1 }
    const [found] = findNearest(index, { ...query, cc: undefined })
    if (found?.metres !== 0)
      throw new VerificationError(`${path}: code index ${code} is not found at its own position`)
  }
}
