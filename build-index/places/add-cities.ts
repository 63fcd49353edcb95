/** Adds the city of a place that is a part: `Paris` for `Paris 01`. The code answers with the city. */
import { type City, SECTION } from '../../datasets/reference/cities-500.ts'
import { NOWHERE } from '../../datasets/row.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { Point } from '../distance.ts'
import type { CountryRows } from '../gazetteer/country.ts'
import type { AdminModel, Level } from '../model.ts'
import type { PlaceDraft } from '../rows/places.ts'
import { AREA_POPULATION_MIN, CITY_POPULATION_MIN, NEXT_PLACE_KM } from '../thresholds.ts'
import { hintOf } from './join-places.ts'

/** Parts of cities: `Paris 01`, `Praha 1-Vinohrady`, `Bratislava XII`, `New Delhi G.P.O.`, `Manila CPO - Ermita`, `Москва-Гцмпп 30`. */
const PART =
  /^(.{3,}?)[ -]+(\d{1,3}\b.*|[IVX]{1,5}|[GHS]\.? ?(P\.? ?)?O\.?|CPO\b.*|(Гцмпп|Мсц|Попс|Пп-С|Сц|Цех|Ems|Pi-)(?!\p{L}).*)$/u
/** `Wien, Innere Stadt`. Needs an area of that name, because of `Monte, El`. */
const COMMA_PART = /^(.{3,}?), ./

/** Words in names of organisations, which have codes of their own in Germany. */
const ORGANISATION =
  /\b(GmbH|AG|KG|KGaA|SE|OHG|eG|e\. ?V\.|mbH|Bundesamt|Finanzamt|Familienkasse|Agentur für Arbeit|Sparkasse|Krankenkasse|Versicherung(en)?|Bank|Versand|Deutsche Post|Rundfunk)(?!\p{L})|\p{L}(bank|kasse|versicherung|versand|rundfunk)(?!\p{L})/iu
/** The same at the end of names in India, with railway stations and offices. */
const INDIAN_ORGANISATION =
  /\b(University|College|Hospital|Project|Factory|Mills?|Airport|Court|Secretariat|Railway|[RHS]\. ?[OS]\.?)$/

interface CityRule {
  /** Levels at which rows of neighbourhoods name their city. */
  levels: readonly Level[]
  /** Only for codes without a populated place. */
  fallback?: boolean
  /** Even if the gazetteer lacks the city. */
  unlisted?: boolean
  /** Only where the name says that the area is a city. */
  marked?: boolean
  /** Names of organisations. Their codes take the nearest city. */
  organisations?: RegExp
}

const CITY_RULES: Readonly<Record<string, CityRule>> = {
  CA: { levels: [2] },
  CO: { levels: [2], fallback: true },
  DE: { levels: [3], fallback: true, marked: true, organisations: ORGANISATION },
  GB: { levels: [2], fallback: true },
  IN: { levels: [], organisations: INDIAN_ORGANISATION },
  KR: { levels: [1], fallback: true },
  MX: { levels: [3, 2] },
  PH: { levels: [3, 2], fallback: true },
  TR: { levels: [2], unlisted: true },
}

export function addCities(draft: CountryRows): void {
  for (const code of draft.codes) {
    const isPopulated = code.places.some(({ city }) => city)
    for (const [i, place] of [...code.places].entries()) {
      const at = code.positionOf(i)
      const whole = cityOf(draft, place, at, isPopulated)
      if (whole !== null) code.add(whole, { ...at, accuracy: code.position.accuracy })
    }
  }
}

/** Returns the city of a part, or null. */
function cityOf(
  { country, pool, gazetteer, extents }: CountryRows,
  place: PlaceDraft,
  at: Point,
  isPopulated: boolean,
): PlaceDraft | null {
  const { name, admin, city } = place
  const hint = hintOf(admin, extents.holds(admin, at.lat, at.lon) ? at : NOWHERE, extents)
  const find = (candidate: string | undefined, where = hint): [string, City] | null => {
    const found = candidate === undefined ? null : gazetteer.find(cityKey(candidate), where)
    return found === null || found.population < CITY_POPULATION_MIN ? null : [candidate ?? '', found]
  }
  // The position of a row is often a namesake's or an estimate. Its areas are surer.
  const findOrInAreas = (candidate: string | undefined) =>
    find(candidate) ?? (hint.areas ? find(candidate, { ...hint, ...NOWHERE }) : null)
  let whole: [string, City] | null = null
  if (!city || city.kind === SECTION) {
    const [, beginning] = PART.exec(name) ?? []
    whole = findOrInAreas(beginning)
    const [, first] = COMMA_PART.exec(name) ?? []
    if (first !== undefined && Object.values(admin).includes(first)) whole ??= find(first)
  }
  const rule = CITY_RULES[country]
  if (rule !== undefined && !(rule.fallback && isPopulated))
    for (const level of rule.levels) {
      whole ??= findOrInAreas(cityName(admin, level, rule.marked === true))
    }
  if (whole === null && !isPopulated && rule?.organisations?.test(name)) {
    const nearest = gazetteer.nearest(hint.lat, hint.lon, NEXT_PLACE_KM)
    if (nearest !== null && nearest.kind !== SECTION) whole = [nearest.name, nearest]
  }
  // A country that is one city names streets.
  const { main } = gazetteer
  if (whole === null && !isPopulated && main !== null && main.population >= AREA_POPULATION_MIN)
    whole = [main.name, main]
  const unlisted = rule?.unlisted && whole === null ? cityName(admin, rule.levels[0], false) : undefined
  const wholeName = whole?.[0] ?? unlisted
  if (wholeName === undefined || wholeName === name) return null
  const added = pool.place(wholeName, admin, [])
  added.city ??= whole?.[1] ?? null
  return added
}

/** Marks of a city in an area's name: `City of Makati`, `Greater London`, `Bogotá  D.C.`. */
const CITY_MARKS =
  /^(City of|Greater|Kreisfreie Stadt|Stadtkreis|Landeshauptstadt) |,? +D\. ?C\.$|(특별|광역)시$|, (Freie und Hansestadt|Landeshauptstadt|(kreisfreie )?Stadt)$/g

/** Returns an area's name without marks; undefined when it has no name, or lacks a required mark. */
function cityName(admin: AdminModel, level: Level, isMarked: boolean): string | undefined {
  const area = admin[`name${level}`].trim()
  const name = area.replace(CITY_MARKS, '')
  return name === '' || (isMarked && name === area) ? undefined : name
}
