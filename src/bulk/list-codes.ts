/** Lists the codes of a city that has too many of them for the server's thread. */
import { type CityQuery, codeList, findCity } from '../index/cities/city-search.ts'
import { countrySlot } from '../index/country-table.ts'
import type { PostalIndex } from '../index/postal-index.ts'

/**
 * The written forms as a JSON array in UTF-8, in a buffer of their own. Costs some 0.1 microseconds for each code.
 * @param cc two letters
 * @throws RangeError when the index lacks the city, because it has been replaced since the city was found
 */
export function listCodes(index: PostalIndex, cc: string, query: CityQuery): Uint8Array<ArrayBuffer> {
  const country = index.countries.at(countrySlot(cc.charCodeAt(0), cc.charCodeAt(1)))
  const found = country ? findCity(index, country, query) : undefined
  if (!country || found === undefined)
    throw new RangeError(
      `the index was replaced while a city of ${cc} was listed, and the new one lacks it: ask again`,
    )
  return codeList(index, country, found.places)
}
