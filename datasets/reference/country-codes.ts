import { readPackageJson } from '../package-files.ts'

/** Codes in wide use without ISO code: Kosovo has data in GeoNames. */
const BESIDE_ISO = ['XK']

/** Returns country codes of ISO 3166-1 alpha-2, ascending. */
export function countryCodes(): string[] {
  const rows = readPackageJson<[alpha2: string, ...rest: string[]][]>('i18n-iso-countries', 'codes.json')
  return [...new Set([...rows.map(([alpha2]) => alpha2), ...BESIDE_ISO])].sort()
}
