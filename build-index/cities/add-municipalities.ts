/**
 * Adds municipalities as further places of the codes of their villages, for city search. No village is called
 * Haarlemmermeer, for example. The codes still answer with the village.
 */
import { getOrMake } from '../../datasets/maps.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { Country } from '../areas/country.ts'
import type { Level } from '../model.ts'
import { cityRuleOf } from '../places/city-rules.ts'
import { type GradedCode, withPlaces } from '../rows/code.ts'
import type { Areas, Place } from '../rows/places.ts'

/** Kinds of municipalities: `Gemeente Haarlemmermeer`, `Aarhus Kommune`, `Cantón Quito`. */
const MUNICIPALITY_KIND =
  /^(gemeente|gemeindebezirk|gmina|cantón|ciudad de|kota|mueang|ville de|commune de) | (municipality|kommune?|kommun|city|\(stadt\))$|-capitale$/i

export function addMunicipalities(codes: readonly GradedCode[], country: Country): readonly GradedCode[] {
  const { municipality: level, isMarked = false } = cityRuleOf(country.cc)
  if (level === undefined) return codes
  const found = new Map<Areas, Place | null>()
  return codes.map(code => {
    let { places } = code
    for (const { admin } of places) {
      const place = getOrMake(found, admin, () => municipality(admin, level, isMarked, country, code))
      if (place === null) continue
      const { key, city } = place
      const hasPlace = places.some(known => known.key === key || (city && known.city === city))
      if (!hasPlace) places = country.pool.joined(places, place)
    }
    return withPlaces(code, places)
  })
}

/** Returns the municipality as a place; null when the rows name none. */
function municipality(
  admin: Areas,
  level: Level,
  isMarked: boolean,
  { pool, gazetteer }: Country,
  { position: { lat, lon } }: GradedCode,
): Place | null {
  const area = admin[`name${level}`]
  const name = area.replace(MUNICIPALITY_KIND, '').trim()
  if (name === '' || (isMarked && name === area)) return null
  const hint = { lat, lon, areas: undefined, codes: [admin.code3, admin.code2] }
  // The genitive of `Københavns Kommune` means København.
  const names = name !== area && name.endsWith('s') ? [name, name.slice(0, -1)] : [name]
  const known = names.map(candidate => gazetteer.find(cityKey(candidate), hint))
  const at = known.findIndex(city => city !== null)
  const above = level === 3 ? admin : pool.withoutLevel3(admin)
  return pool.place(names[Math.max(0, at)], above, [], known[at])
}
