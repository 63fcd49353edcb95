import { iso31661 } from 'iso-3166'

/** Codes in wide use without ISO code: Kosovo has data in GeoNames. */
const BESIDE_ISO = ['XK']

/** Returns country codes of ISO 3166-1 alpha-2, ascending. */
export function countryCodes(): string[] {
  return [...iso31661.map(({ alpha2 }) => alpha2), ...BESIDE_ISO].sort()
}
