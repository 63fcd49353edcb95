/**
 * Adds municipalities as further places of the codes of their villages, for city search. No village is called
 * Haarlemmermeer, for example. The codes still answer with the village.
 */
import { getOrMake } from '../../datasets/maps.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { Level } from '../model.ts'
import type { CodeDraft, CountryDraft } from '../places/code-draft.ts'
import type { Areas, PlaceDraft } from '../rows/places.ts'

/** Countries by level of municipalities in rows. In other countries areas are larger. */
const LEVELS: Readonly<Record<Level, string>> = {
  1: 'BE GT TW',
  2: 'AU BG CR DK EC ID KR LU NL NO PT SE TH',
  3: 'AT CH CL ES FI HR PE PL',
}

/** Countries in which an area is a municipality only if its name says so: `Kota Padang`, but not `Kabupaten Ciamis`. */
const MARKED = new Set('BE GT ID TH TW'.split(' '))

/** Kinds of municipalities: `Gemeente Haarlemmermeer`, `Aarhus Kommune`, `Cantón Quito`. */
const MUNICIPALITY_KIND =
  /^(gemeente|gemeindebezirk|gmina|cantón|ciudad de|kota|mueang|ville de|commune de) | (municipality|kommune?|kommun|city|\(stadt\))$|-capitale$/i

export function addMunicipalities(draft: CountryDraft): void {
  const level = ([1, 2, 3] as const).find(level => LEVELS[level].split(' ').includes(draft.country))
  if (level === undefined) return
  const found = new Map<Areas, PlaceDraft | null>()
  for (const code of draft.codes)
    for (const { admin } of code.places) {
      const place = getOrMake(found, admin, () => municipality(admin, level, draft, code))
      if (place !== null && !hasPlace(code, place)) draft.pool.join(code, place)
    }
}

function hasPlace({ places }: CodeDraft, { key, city }: PlaceDraft): boolean {
  return places.some(place => place.key === key || (city && place.city === city))
}

/** Returns the municipality as a place; null when the rows name none. */
function municipality(
  admin: Areas,
  level: Level,
  { country, pool, gazetteer }: CountryDraft,
  { lat, lon }: CodeDraft,
): PlaceDraft | null {
  const area = admin[`name${level}`]
  const name = area.replace(MUNICIPALITY_KIND, '').trim()
  if (name === '' || (MARKED.has(country) && name === area)) return null
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
