import { loadPackage } from '../package-files.ts'
import type { IsoArea } from '../source.ts'
import { japanesePrefectures } from './japanese-cities.ts'

interface Checker {
  getSubdivisions(country: string): { code: string; name: string }[]
}

/** Returns level-1 areas of ISO 3166-2 in the 24 countries of `postal-code-checker`. */
export function knownIsoAreas(country: string): IsoArea[] {
  const { getSubdivisions } = loadPackage<Checker>('postal-code-checker', 'dist/index.cjs.js')
  return getSubdivisions(country).map(({ code, name }) => ({ code, names: [name] }))
}

/** Returns level-1 areas of JP with their names in kanji, with and without kind; none for other countries. */
export function nativeIsoAreas(country: string): IsoArea[] {
  if (country !== 'JP') return []
  return [...japanesePrefectures()].map(([kanji, { code, name }]) => ({
    code,
    names: [name, kanji, kanji.replace(/[都府県]$/, '')],
  }))
}
