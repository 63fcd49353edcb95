/** Adds the city of a place that is a part: `Paris` for `Paris 01`. The code answers with the city. */
import { type City, SECTION } from '../../datasets/reference/cities-500.ts'
import { NOWHERE } from '../../datasets/row.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { Country } from '../areas/country.ts'
import type { Point } from '../distance.ts'
import type { AdminModel, Level } from '../model.ts'
import { type ListedCode, positionOf, withRow } from '../rows/code.ts'
import type { Place } from '../rows/places.ts'
import { AREA_POPULATION_MIN, CITY_POPULATION_MIN, NEXT_PLACE_KM } from '../thresholds.ts'
import { cityRuleOf } from './city-rules.ts'
import { hintOf } from './join-places.ts'

/**
 * Parts of cities: `Paris 01`, `Praha 1-Vinohrady`, `Bratislava XII`, `New Delhi G.P.O.`, `Manila CPO - Ermita`,
 * `Москва-Гцмпп 30`.
 */
const PART =
  /^(.{3,}?)[ -]+(\d{1,3}\b.*|[IVX]{1,5}|[GHS]\.? ?(P\.? ?)?O\.?|CPO\b.*|(Гцмпп|Мсц|Попс|Пп-С|Сц|Цех|Ems|Pi-)(?!\p{L}).*)$/u
/** `Wien, Innere Stadt`. Needs an area of that name, because of `Monte, El`. */
const COMMA_PART = /^(.{3,}?), ./

export function addCitiesOfParts(codes: readonly ListedCode[], country: Country): readonly ListedCode[] {
  return codes.map(code => {
    const isPopulated = code.places.some(({ city }) => city)
    let found = code
    for (const [i, place] of code.places.entries()) {
      const at = positionOf(code, i)
      const whole = cityOf(country, place, at, isPopulated)
      if (whole !== null) found = withRow(found, whole, at)
    }
    return found
  })
}

/** Returns the city of a part, or null. */
function cityOf(
  { cc, pool, gazetteer, extents }: Country,
  place: Place,
  at: Point,
  isPopulated: boolean,
): Place | null {
  const { name, admin, city } = place
  const hint = hintOf(admin, extents.holds(admin, at.lat, at.lon) ? at : NOWHERE, extents)
  const find = (candidate: string | undefined, where = hint): [string, City] | null => {
    const found = candidate === undefined ? null : gazetteer.find(cityKey(candidate), where)
    return found === null || found.population < CITY_POPULATION_MIN ? null : [candidate ?? '', found]
  }
  // The position of a row is often a namesake's or an estimate. Its areas are surer.
  const findOrInAreas = (candidate: string | undefined) =>
    find(candidate) ?? (hint.areas ? find(candidate, { ...hint, ...NOWHERE }) : null)
  const { levels = [], isFallback, isUnlisted, isMarked = false, organisations } = cityRuleOf(cc)
  let whole: [string, City] | null = null
  if (!city || city.kind === SECTION) {
    const [, beginning] = PART.exec(name) ?? []
    whole = findOrInAreas(beginning)
    const [, first] = COMMA_PART.exec(name) ?? []
    if (first !== undefined && Object.values(admin).includes(first)) whole ??= find(first)
  }
  if (!isFallback || !isPopulated)
    for (const level of levels) whole ??= findOrInAreas(cityName(admin, level, isMarked))
  if (whole === null && !isPopulated && organisations?.test(name)) {
    const nearest = gazetteer.nearest(hint.lat, hint.lon, NEXT_PLACE_KM)
    if (nearest !== null && nearest.kind !== SECTION) whole = [nearest.name, nearest]
  }
  // A country that is one city names streets.
  const { main } = gazetteer
  if (whole === null && !isPopulated && main !== null && main.population >= AREA_POPULATION_MIN)
    whole = [main.name, main]
  const wholeName = whole?.[0] ?? (isUnlisted ? cityName(admin, levels[0], false) : undefined)
  if (wholeName === undefined || wholeName === name) return null
  return pool.place(wholeName, admin, [], whole?.[1])
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
