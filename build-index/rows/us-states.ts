import { memoised } from '../../datasets/maps.ts'
import type { AdminModel, DecidedCode, PlaceModel } from '../model.ts'
import type { AnyCode } from './code.ts'

/** Countries whose post names the city of every code: only cities that it never names gain codes. */
export const NAMED_BY_POST: ReadonlySet<string> = new Set(['US', 'PR', 'VI', 'GU', 'AS', 'MP'])

const MILITARY_STATES: ReadonlySet<string> = new Set(['AA', 'AE', 'AP'])

/** USPS names of states beside the fifty, by abbreviation. */
export const USPS_OTHER_STATES: Readonly<Record<string, string>> = {
  AA: 'Armed Forces Americas',
  AE: 'Armed Forces Europe',
  AP: 'Armed Forces Pacific',
  AS: 'American Samoa',
  FM: 'Federated States of Micronesia',
  GU: 'Guam',
  MH: 'Marshall Islands',
  MP: 'Northern Mariana Islands',
  PR: 'Puerto Rico',
  PW: 'Palau',
  VI: 'U.S. Virgin Islands',
}

/** FIPS numbers of states and territories (ANSI INCITS 38). */
const STATE_FIPS: Readonly<Record<string, string>> = Object.fromEntries(
  `AL01 AK02 AZ04 AR05 CA06 CO08 CT09 DE10 DC11 FL12 GA13 HI15 ID16 IL17 IN18 IA19 KS20 KY21 LA22 ME23 MD24 MA25 MI26 MN27 MS28 MO29
  MT30 NE31 NV32 NH33 NJ34 NM35 NY36 NC37 ND38 OH39 OK40 OR41 PA42 RI44 SC45 SD46 TN47 TX48 UT49 VT50 VA51 WA53 WV54 WI55 WY56 AS60
  GU66 MP69 PR72 VI78`
    .split(/\s+/)
    .map(state => [state.slice(0, 2), state.slice(2)]),
)

/** Counties of territories by ZIP code; the first match counts. The gazetteer has those of Puerto Rico. */
const TERRITORY_COUNTIES: readonly [zips: RegExp, county: string][] = [
  [/^0080/, '030'], // Saint Thomas
  [/^0083/, '020'], // Saint John
  [/^008/, '010'], // Saint Croix
  [/^96951/, '100'], // Rota
  [/^96952/, '120'], // Tinian
  [/^9695/, '110'], // Saipan
  [/^969[123]|^96799/, '010'], // Guam, and the Eastern District of American Samoa
]

/**
 * Returns `codes` after `change`, except military post of the US. It lies abroad, and its neighbours by code are worlds
 * apart.
 */
export function changedAtHome<T extends AnyCode>(
  country: string,
  codes: readonly T[],
  change: (home: readonly T[]) => readonly T[],
): readonly T[] {
  const isAway = ({ places }: T) => country === 'US' && MILITARY_STATES.has(places[0].admin.code1)
  const changed = change(codes.filter(code => !isAway(code)))
  let next = 0
  return codes.map(code => (isAway(code) ? code : changed[next++]))
}

/** Returns codes of the US or of a territory as the US has them: USPS counts a territory as a state. */
export function inUS(codes: readonly DecidedCode[], member: string): readonly DecidedCode[] {
  const numberedOnce = memoised(numbered)
  const ofUS = memoised((place: PlaceModel) => placeIn(place, numberedOnce(place.admin)))
  const moved = (place: PlaceModel, zip: string) =>
    member === 'US' ? ofUS(place) : placeIn(place, numbered(asState(place.admin, member, zip)))
  return codes.map(code => ({ ...code, places: code.places.map(place => moved(place, code.key)) }))
}

function placeIn({ name, population, aliases }: PlaceModel, admin: AdminModel): PlaceModel {
  return { name, population, aliases, admin }
}

/** Prefixes a county number with the state's: `037` of California becomes `06037`. Removes other numbers. */
function numbered(admin: AdminModel): AdminModel {
  const state = STATE_FIPS[admin.code1]
  return { ...admin, code2: state !== undefined && /^\d{3}$/.test(admin.code2) ? state + admin.code2 : '' }
}

/** Returns areas of a territory under its state. The first level of the territory is the county. */
function asState(admin: AdminModel, territory: string, zip: string): AdminModel {
  const state = USPS_OTHER_STATES[territory]
  const isState = admin.name1 === state || admin.code1 === territory
  const [name1, code1] = isState ? ['', ''] : [admin.name1, admin.code1]
  const [name2, number] = admin.name2 ? [admin.name2, admin.code2] : [name1, code1]
  const code2 = TERRITORY_COUNTIES.find(([zips]) => zips.test(zip))?.[1] ?? number
  return { ...admin, name1: state, code1: territory, name2, code2 }
}
