/** Reopens an index with the reader and compares every key and every field with what the builder was given. */

import { ADMIN_WORDS, ADMIN_ZONE } from '../../src/format/admin-entry.ts'
import { placeAdmin, placeCodes, placeName, viewAdmin, viewCode } from '../../src/index/codes/code-view.ts'
import { findCode } from '../../src/index/codes/trie.ts'
import type { Country } from '../../src/index/country.ts'
import { verifyIndex, withIndex } from '../../src/index/open-index.ts'
import { countriesOf, type PostalIndex } from '../../src/index/postal-index.ts'
import { SYMBOL_OF_BYTE } from '../../src/text/code.ts'
import type { AdminModel, PlaceModel } from '../model.ts'
import { codeFingerprint } from './fingerprint.ts'

export class VerificationError extends Error {
  override name = 'VerificationError'
}

/**
 * Compares the file at `path` with the fingerprints, by code index, of its input. Reads the whole file; some microseconds a code.
 * @throws VerificationError that names the first code that differs, IndexFileError when a checksum does
 */
export function verifyBuilt(path: string, expected: Uint32Array): void {
  withIndex(path, index => {
    verifyIndex(index)
    const { codeCount } = index.file
    if (codeCount !== expected.length)
      throw new VerificationError(`${path} holds ${codeCount} codes, ${expected.length} expected`)
    for (const country of countriesOf(index)) verifyCountry(index, country, expected)
  })
}

/**
 * Checks a file on its own: its checksums, and that every code is found under the key that its index leads to.
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
  const { codeStart, codeCount } = country.meta
  const placesOf = placesByCode(index, country)
  const admins = new Map<number, AdminModel>()
  for (let code = codeStart; code < codeStart + codeCount; code++) {
    const view = viewCode(index, country, code)
    const places = placesOf[code - codeStart]
    const primary = places.find(
      place =>
        placeName(index, place) === view.city && isSameArea(index, placeAdmin(index, place), view.admin),
    )
    const ordered = primary === undefined ? [] : [primary, ...places.filter(place => place !== primary)]
    const fingerprint = codeFingerprint({
      ...view,
      places: ordered.map(place => modelOf(index, place, admins)),
    })
    if (primary === undefined || fingerprint !== expected[code]) {
      throw new VerificationError(
        `${index.path}: ${country.cc} ${view.written} does not read back as it was written; this is a defect of the builder`,
      )
    }
    verifyKey(index, country, view, code)
  }
}

/** Whether two entries of ADMN are the same except for the time zone. */
function isSameArea({ admins }: PostalIndex, one: number, other: number): boolean {
  for (let word = 0; word < ADMIN_ZONE; word++)
    if (admins[one * ADMIN_WORDS + word] !== admins[other * ADMIN_WORDS + word]) return false
  return true
}

function verifyKey(
  index: PostalIndex,
  country: Country,
  { key, written }: { key: string; written: string },
  code: number,
): void {
  const symbols = Uint8Array.from(key, character => SYMBOL_OF_BYTE[character.charCodeAt(0)])
  if (findCode(index.trie, country.root, symbols, 0, symbols.length) !== code) {
    throw new VerificationError(`${index.path}: ${country.cc} ${written} is not found under its own key`)
  }
}

function placesByCode(index: PostalIndex, country: Country): number[][] {
  const { codeStart, codeCount, placeStart, placeCount } = country.meta
  const places = Array.from({ length: codeCount }, (): number[] => [])
  for (let place = placeStart; place < placeStart + placeCount; place++) {
    for (const code of placeCodes(index, country, place)) places[code - codeStart].push(place)
  }
  return places
}

function modelOf(index: PostalIndex, place: number, admins: Map<number, AdminModel>): PlaceModel {
  const at = placeAdmin(index, place)
  let admin = admins.get(at)
  if (admin === undefined) {
    admin = viewAdmin(index, at)
    admins.set(at, admin)
  }
  return { name: placeName(index, place), admin, aliases: [] }
}
