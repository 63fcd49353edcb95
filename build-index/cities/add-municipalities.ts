/**
 * Adds municipalities as further places of the codes of their villages, for city search. No village is called
 * Haarlemmermeer, for example. The codes still answer with the village.
 */
import { getOrMake } from '../../datasets/maps.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { CountryDraft } from '../areas/country.ts'
import type { Level } from '../model.ts'
import { cityRuleOf } from '../places/city-rules.ts'
import type { Code } from '../rows/code.ts'
import type { Areas, PlaceDraft } from '../rows/places.ts'

/** Kinds of municipalities: `Gemeente Haarlemmermeer`, `Aarhus Kommune`, `Cantón Quito`. */
const MUNICIPALITY_KIND =
  /^(gemeente|gemeindebezirk|gmina|cantón|ciudad de|kota|mueang|ville de|commune de) | (municipality|kommune?|kommun|city|\(stadt\))$|-capitale$/i

export function addMunicipalities(draft: CountryDraft): void {
  const { municipality: level, isMarked = false } = cityRuleOf(draft.cc)
  if (level === undefined) return
  const found = new Map<Areas, PlaceDraft | null>()
  for (const code of draft.codes)
    for (const { admin } of code.places) {
      const place = getOrMake(found, admin, () => municipality(admin, level, isMarked, draft, code))
      if (place === null) continue
      const { key, city } = place
      const hasPlace = code.places.some(known => known.key === key || (city && known.city === city))
      if (!hasPlace) code.join(place, draft.pool)
    }
}

/** Returns the municipality as a place; null when the rows name none. */
function municipality(
  admin: Areas,
  level: Level,
  isMarked: boolean,
  { pool, gazetteer }: CountryDraft,
  { lat, lon }: Code,
): PlaceDraft | null {
  const area = admin[`name${level}`]
  const name = area.replace(MUNICIPALITY_KIND, '').trim()
  if (name === '' || (isMarked && name === area)) return null
  const hint = { lat, lon, areas: undefined, codes: [admin.code3, admin.code2] }
  // `Københavns Kommune` is that of København.
  const names = name !== area && name.endsWith('s') ? [name, name.slice(0, -1)] : [name]
  const known = names.map(candidate => gazetteer.find(cityKey(candidate), hint))
  const at = known.findIndex(city => city !== null)
  const above = level === 3 ? admin : pool.withoutLevel3(admin)
  const place = pool.place(names[Math.max(0, at)], above, [])
  place.city ??= known[at] ?? null
  return place
}
