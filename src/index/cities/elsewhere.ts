/** Places of a name in all other countries: whether a close match would be an answer to another question. */
import { cityHash, slotOf } from '../../format/city-hash.ts'
import type { Country } from '../country.ts'
import { countrySlot } from '../country-table.ts'
import type { PostalIndex } from '../postal-index.ts'
import { placesOfKey } from './city-names.ts'

/**
 * For each country but `country` that has places with the key `key`, those places. Costs a probe of HASH for each country;
 * only the rules of those that have the name are read.
 */
export function placesElsewhere(index: PostalIndex, country: Country, key: string): number[][] {
  return index.countries.names
    .filter(cc => cc !== country.cc && mayHaveKey(index, cc, key))
    .map(cc => index.countries.at(countrySlot(cc.charCodeAt(0), cc.charCodeAt(1))))
    .map(other => (other ? placesOfKey(index, other, key) : []))
}

/** Whether HASH may have an entry of `key` in `cc`; it seems so for one in some hundred countries that have none. */
function mayHaveKey({ cityTable }: PostalIndex, cc: string, key: string): boolean {
  const hash = cityHash(cc, key)
  let slot = slotOf(hash, cityTable.length)
  for (let probes = 0; probes < cityTable.length && cityTable[slot] !== 0; probes++) {
    if (cityTable[slot] >>> 24 === (hash & 0xff)) return true
    slot = slot + 1 === cityTable.length ? 0 : slot + 1
  }
  return false
}
