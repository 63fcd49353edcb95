/** Country codes that a request may name. */
import { readPackageJson } from '../package-files.ts'

/** Codes in wide use that ISO 3166-1 does not have: Kosovo has data in GeoNames but no ISO code. */
const BESIDE_ISO = ['XK']

/** ISO 3166-1 alpha-2, ascending. */
export function countryCodes(): string[] {
  const rows = readPackageJson<[alpha2: string, ...rest: string[]][]>('i18n-iso-countries', 'codes.json')
  return [...new Set([...rows.map(([alpha2]) => alpha2), ...BESIDE_ISO])].sort()
}
