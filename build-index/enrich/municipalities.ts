/**
 * Municipalities as places: who searches for Murcia means all of it, and Haarlemmermeer is the name of no village. Each becomes
 * a further place of the codes of its villages, so that city search finds them; the codes are still answered with the village.
 */
import { getOrMake } from '../../datasets/maps.ts'
import { cityKey } from '../../src/text/city.ts'
import type { AdminModel, Level } from '../model.ts'
import type { CodeDraft, PlaceDraft, PlacePool } from '../rows/drafts.ts'
import type { Gazetteer } from './gazetteer.ts'

/** Countries whose rows name the municipality as an area, and the level where it stands. Elsewhere the areas are larger. */
const LEVELS: Readonly<Record<string, Level>> = {
  AT: 3,
  AU: 2,
  BG: 2,
  CH: 3,
  CL: 3,
  CR: 2,
  DK: 2,
  EC: 2,
  ES: 3,
  FI: 3,
  HR: 3,
  LU: 2,
  NL: 2,
  NO: 2,
  PE: 3,
  PL: 3,
  PT: 2,
  SE: 2,
  TW: 1,
}

/** Words that make an area's name a municipality's: `Gemeente Haarlemmermeer`, `Aarhus Kommune`, `Cantón Quito`. */
const KINDS =
  /^(gemeente|gemeindebezirk|gmina|cantón|ville de|commune de) | (municipality|kommune?|kommun|city|\(stadt\))$/i

/** Adds the municipalities. Costs a look-up of the gazetteer for each municipality. */
export function addMunicipalities(
  country: string,
  codes: readonly CodeDraft[],
  pool: PlacePool,
  gazetteer: Gazetteer,
): void {
  const level = LEVELS[country]
  if (level === undefined) return
  const found = new Map<AdminModel, PlaceDraft | null>()
  for (const code of codes)
    for (const { admin } of code.places) {
      const place = getOrMake(found, admin, () => municipality(admin, level, pool, gazetteer, code))
      if (place !== null && !hasPlace(code, place)) code.join(place)
    }
}

function hasPlace({ places }: CodeDraft, { key, city }: PlaceDraft): boolean {
  return places.some(place => place.key === key || (city && place.city === city))
}

/** Its place, joined with the gazetteer where that knows its main place; null when the rows do not name a municipality. */
function municipality(
  admin: AdminModel,
  level: Level,
  pool: PlacePool,
  gazetteer: Gazetteer,
  { lat, lon }: CodeDraft,
): PlaceDraft | null {
  const area = admin[`name${level}`]
  const name = area.replace(KINDS, '').trim()
  // A level-1 area is a municipality only where its name says so.
  if (name === '' || (level === 1 && name === area)) return null
  const hint = { lat, lon, areas: undefined, codes: [admin.code3, admin.code2] }
  // `Københavns Kommune` is that of København.
  const names = name !== area && name.endsWith('s') ? [name, name.slice(0, -1)] : [name]
  const known = names.map(candidate => gazetteer.find(cityKey(candidate), hint))
  const at = known.findIndex(city => city !== null)
  // Its parishes and districts are many, and all lie in it.
  const above = level === 3 ? admin : pool.admin({ ...admin, name3: '', code3: '' }, admin.extra)
  const place = pool.place(names[Math.max(0, at)], above, [])
  place.city ??= known[at] ?? null
  return place
}
