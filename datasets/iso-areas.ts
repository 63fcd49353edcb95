import { loadPackage } from './package-files.ts'
import type { IsoArea } from './source.ts'

interface Checker {
  getSubdivisions(country: string): { code: string; name: string }[]
}

/** Level-1 areas of ISO 3166-2 in the 24 countries that `postal-code-checker` knows them of; empty for the others. */
export function knownIsoAreas(country: string): IsoArea[] {
  const { getSubdivisions } = loadPackage<Checker>('postal-code-checker', 'dist/index.cjs.js')
  return getSubdivisions(country).map(({ code, name }) => ({ code, names: [name] }))
}
