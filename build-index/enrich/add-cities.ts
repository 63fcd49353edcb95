/**
 * The city behind a place that is only a part of one becomes a place of the same code, so that `Paris` finds what
 * the source calls `Paris 01`, and is what the code is answered with. The part stays a place of its own.
 */
import { type City, SECTION } from '../../datasets/reference/cities-500.ts'
import { cityKey } from '../../src/text/city.ts'
import type { AdminModel, Level } from '../model.ts'
import type { CodeDraft, PlaceDraft, PlacePool } from '../rows/drafts.ts'
import type { AreaExtents } from './area-extents.ts'
import type { Gazetteer } from './gazetteer.ts'
import { hintOf } from './join-places.ts'

/** A smaller place has no parts with numbers: there the number belongs to the name. */
const PARTED_POPULATION_MIN = 15_000

/** Names of parts, the city first: `Paris 01`, `Praha 1-Vinohrady`, `Bratislava XII`, `New Delhi G.P.O.`, `Manila CPO - Ermita`. */
const PART = /^(.{3,}?)[ -]+(\d{1,3}\b.*|[IVX]{1,5}|[GHS]\.? ?(P\.? ?)?O\.?|CPO\b.*)$/
/** `Wien, Innere Stadt`: only where an area says that it is a city, because `Monte, El` is not. */
const COMMA_PART = /^(.{3,}?), ./

/**
 * Countries that write the parts of a city with the first letters of where they lie: `Aarhus V` is Aarhus west and no fifth part. Post and
 * people call such a part by that name, so it stays what its codes are answered with, and the city is another name of it.
 */
const POINTS: Readonly<Record<string, RegExp>> = {
  DK: /^(.{3,}?) (C|K|M|N|S|V|Ø|NV|NØ|SV|SØ|Nord|Syd|Øst|Vest)$/,
}

/** Names that only an organisation has. Its code is one that the post gave to a large receiver. */
const ORGANISATION =
  /\b(GmbH|AG|KG|KGaA|SE|OHG|eG|e\. ?V\.|mbH|Bundesamt|Finanzamt|Familienkasse|Agentur für Arbeit|Sparkasse|Krankenkasse|Versicherung(en)?|Bank|Versand|Deutsche Post|Rundfunk)(?!\p{L})|\p{L}(bank|kasse|versicherung|versand|rundfunk)(?!\p{L})/iu
/** The place nearest to an organisation is its municipality. */
const ORGANISATION_KM = 5

/**
 * Countries whose rows name neighbourhoods and the city only as an area, and the levels where it stands. `fallback`: only
 * for codes without any populated place. `unlisted`: even if the gazetteer has no such place near. `marked`: only where the area's
 * name says that it is a city's, because districts around cities have their names too.
 */
const CITY_LEVELS: Readonly<
  Record<string, { levels: readonly Level[]; fallback?: boolean; unlisted?: boolean; marked?: boolean }>
> = {
  CA: { levels: [2] },
  CO: { levels: [2], fallback: true },
  DE: { levels: [3], fallback: true, marked: true },
  GB: { levels: [2], fallback: true },
  KR: { levels: [1], fallback: true },
  MX: { levels: [3, 2] },
  PH: { levels: [3, 2], fallback: true },
  TR: { levels: [2], unlisted: true },
}

export function addCities(
  country: string,
  codes: Iterable<CodeDraft>,
  pool: PlacePool,
  gazetteer: Gazetteer,
  extents: AreaExtents,
): void {
  for (const code of codes) {
    const before = code.places.length
    const isPopulated = code.places.some(({ city }) => city)
    for (let i = 0; i < before; i++) {
      const place = code.places[i]
      const { lat, lon } = code.spotOf(i)
      const whole = cityOf(country, place, lat, lon, isPopulated, gazetteer, extents, pool)
      if (whole !== null) code.add(whole, lat, lon, code.accuracy)
    }
  }
}

function cityOf(
  country: string,
  place: PlaceDraft,
  lat: number,
  lon: number,
  isPopulated: boolean,
  gazetteer: Gazetteer,
  extents: AreaExtents,
  pool: PlacePool,
): PlaceDraft | null {
  const { name, admin, city } = place
  const hint = extents.holds(admin, lat, lon)
    ? hintOf(admin, lat, lon, extents)
    : hintOf(admin, Number.NaN, Number.NaN, extents)
  const find = (candidate: string | undefined, where = hint): [string, City] | null => {
    const found = candidate === undefined ? null : gazetteer.find(cityKey(candidate), where)
    return found === null || found.population < PARTED_POPULATION_MIN ? null : [candidate ?? '', found]
  }
  const [, pointed] = POINTS[country]?.exec(name) ?? []
  if (pointed !== undefined) {
    place.city ??= find(pointed)?.[1] ?? null
    if (!place.aliases.includes(pointed)) place.aliases.push(pointed)
    return null
  }
  // The areas of a row are surer than its position: that is often a namesake's, or an estimate.
  const findOrInAreas = (candidate: string | undefined) =>
    find(candidate) ?? (hint.areas ? find(candidate, { ...hint, lat: Number.NaN, lon: Number.NaN }) : null)
  let whole: [string, City] | null = null
  if (!city || city.kind === SECTION) {
    const [, beginning] = PART.exec(name) ?? []
    whole = findOrInAreas(beginning)
    const [, first] = COMMA_PART.exec(name) ?? []
    if (first !== undefined && Object.values(admin).includes(first)) whole ??= find(first)
  }
  const rule = CITY_LEVELS[country]
  if (rule !== undefined && !(rule.fallback && isPopulated))
    for (const level of rule.levels) {
      whole ??= findOrInAreas(cityName(admin, level, rule.marked === true))
    }
  // Only the post of Germany gives codes to organisations that its rows name.
  if (whole === null && country === 'DE' && !isPopulated && ORGANISATION.test(name)) {
    const nearest = gazetteer.nearest(hint.lat, hint.lon, ORGANISATION_KM)
    if (nearest !== null && nearest.kind !== SECTION) whole = [nearest.name, nearest]
  }
  const unlisted = rule?.unlisted && whole === null ? cityName(admin, rule.levels[0], false) : undefined
  const wholeName = whole?.[0] ?? unlisted
  if (wholeName === undefined || wholeName === name) return null
  const added = pool.place(wholeName, admin, [])
  added.city ??= whole?.[1] ?? null
  return added
}

/** Words that make an area's name a city's: `City of Makati`, `Greater London`, `Bogotá  D.C.`, `Kreisfreie Stadt München`. */
const CITY_MARKS =
  /^(City of|Greater|Kreisfreie Stadt|Stadtkreis|Landeshauptstadt) |,? +D\. ?C\.$|(특별|광역)시$|, (Freie und Hansestadt|Landeshauptstadt|(kreisfreie )?Stadt)$/g

/** Name of an area without its marks; undefined when it has no name, or no mark and has to have one. */
function cityName(admin: AdminModel, level: Level, isMarked: boolean): string | undefined {
  const area = admin[`name${level}`].trim()
  const name = area.replace(CITY_MARKS, '')
  return name === '' || (isMarked && name === area) ? undefined : name
}
