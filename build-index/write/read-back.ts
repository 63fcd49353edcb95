/** Reads an index back and compares every key and field with the builder's input. */
import { memoised } from '../../datasets/maps.ts'
import { isPlaced, latitude, longitude } from '../../src/postal/format/code-entry.ts'
import { NAME_ENTRY, NAME_WORDS, nameEntry } from '../../src/postal/format/names.ts'
import { nameOfEntry } from '../../src/postal/index/cities/city-names.ts'
import type { Country } from '../../src/postal/index/country.ts'
import { findNearest } from '../../src/postal/index/nearest.ts'
import { verifyIndex, withIndex } from '../../src/postal/index/open-index.ts'
import { placeAdmin, placeCodes, placeName } from '../../src/postal/index/places.ts'
import { countriesOf, type PostalIndex } from '../../src/postal/index/postal-index.ts'
import { plainText } from '../../src/postal/index/text-section.ts'
import { nameText } from '../../src/postal/text/city.ts'
import { type CodeView, codeOfKey, viewAdmin, viewCode } from '../check/code-view.ts'
import { areasFingerprint, codeFingerprint, placeFingerprint } from './fingerprint.ts'

export class VerificationError extends Error {
  override name = 'VerificationError'
}

/**
 * Compares a file with the fingerprints of its input. Takes some microseconds a code.
 * @param expected fingerprints of the codes, by country
 * @param verifyPart compares a country, here or on another thread
 * @throws VerificationError for the first code that differs, IndexFileError for a checksum
 */
export async function verifyBuilt(
  path: string,
  expected: ReadonlyMap<string, Uint32Array>,
  verifyPart: VerifyPart,
): Promise<void> {
  const parts = Array.from(expected, ([cc, fingerprints]) => verifyPart({ path, cc, fingerprints }))
  withIndex(path, index => {
    verifyIndex(index)
    const { codeCount } = index.file
    const expectedCount = [...expected.values()].reduce((sum, { length }) => sum + length, 0)
    if (codeCount !== expectedCount)
      throw new VerificationError(`${path} holds ${codeCount} codes, ${expectedCount} expected`)
    verifyNear(index)
  })
  await Promise.all(parts)
}

/** Country of a written file, with the fingerprints of its codes. */
export interface CountryToVerify {
  path: string
  cc: string
  fingerprints: Uint32Array
}

/** Compares a country, here or on another thread. */
export type VerifyPart = (country: CountryToVerify) => void | Promise<void>

/** Compares a country of a file with its input. @throws VerificationError */
export function verifyBuiltCountry({ path, cc, fingerprints }: CountryToVerify): void {
  withIndex(path, index => {
    const country = countriesOf(index).find(country => country.cc === cc)
    if (country?.codeCount !== fingerprints.length)
      throw new VerificationError(
        `${path} holds ${country?.codeCount ?? 0} codes of ${cc}, ${fingerprints.length} expected`,
      )
    verifyCountry(index, country, fingerprints)
    verifyNames(index, country)
  })
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

/**
 * Checks the checksums of a file, and that each key leads to its code.
 * @throws IndexFileError, VerificationError
 */
export function verifyFile(path: string): { codes: number; buildId: string } {
  return withIndex(path, index => {
    verifyIndex(index)
    for (const country of countriesOf(index)) {
      const { codeStart, codeCount } = country
      for (let code = codeStart; code < codeStart + codeCount; code++)
        verifyKey(index, country, viewCode(index, country, code), code)
    }
    return { codes: index.file.codeCount, buildId: index.file.buildId }
  })
}

function verifyCountry(index: PostalIndex, country: Country, expected: Uint32Array): void {
  const { codeStart, codeCount, placeStart, placeCount } = country.meta
  const areasOf = memoised((admin: number) => areasFingerprint(viewAdmin(index, admin)))
  const fingerprintOf = (name: string, admin: number) => placeFingerprint(name, areasOf(admin))
  const fingerprintsOf = Array.from({ length: codeCount }, (): number[] => [])
  for (let place = placeStart; place < placeStart + placeCount; place++) {
    const own = fingerprintOf(placeName(index, place), placeAdmin(index, place))
    for (const code of placeCodes(index, country, place)) fingerprintsOf[code - codeStart].push(own)
  }
  for (let code = codeStart; code < codeStart + codeCount; code++) {
    const view = viewCode(index, country, code)
    const fingerprints = fingerprintsOf[code - codeStart]
    const primary = fingerprintOf(view.city, view.admin)
    if (
      !fingerprints.includes(primary) ||
      codeFingerprint(view, view.written, primary, fingerprints) !== expected[code - codeStart]
    )
      throw new VerificationError(
        `${index.path}: ${country.cc} ${view.written} does not read back as it was written; this is a defect of the builder`,
      )
    verifyKey(index, country, view, code)
  }
}

function verifyKey(index: PostalIndex, country: Country, { key, written }: CodeView, code: number): void {
  if (codeOfKey(index, country, key) !== code)
    throw new VerificationError(`${index.path}: ${country.cc} ${written} is not found under its own key`)
}
