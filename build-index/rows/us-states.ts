import { getOrMake } from '../../datasets/maps.ts'
import type { AdminModel, CodeModel, PlaceModel } from '../model.ts'

/** Countries whose post names the city of every code: only cities that it never names gain codes. */
export const NAMED_BY_POST: ReadonlySet<string> = new Set(['US', 'PR', 'VI', 'GU', 'AS', 'MP'])

export const MILITARY_STATES: ReadonlySet<string> = new Set(['AA', 'AE', 'AP'])

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

/** Returns the county number of a territory's ZIP code; undefined where the ZIP code does not tell. */
function territoryCounty(zip: string): string | undefined {
  return TERRITORY_COUNTIES.find(([zips]) => zips.test(zip))?.[1]
}

/** Prefixes county numbers with the state's: `037` of California becomes `06037`. Removes other numbers. */
export function withCountyNumbers(codes: readonly CodeModel[]): CodeModel[] {
  const admins = new Map<AdminModel, AdminModel>()
  const numbered = (admin: AdminModel) => {
    const state = STATE_FIPS[admin.code1]
    return { ...admin, code2: state !== undefined && /^\d{3}$/.test(admin.code2) ? state + admin.code2 : '' }
  }
  const places = new Map<PlaceModel, PlaceModel>()
  const placeOf = (place: PlaceModel) => {
    const { name, key, population, aliases } = place
    return {
      name,
      key,
      population,
      aliases,
      admin: getOrMake(admins, place.admin, () => numbered(place.admin)),
    }
  }
  return codes.map(code =>
    withPlaces(
      code,
      code.places.map(place => getOrMake(places, place, () => placeOf(place))),
    ),
  )
}

/** Returns a code of a territory in the model of the US. USPS counts the territory as a state. */
export function underUS(code: CodeModel, territory: string): CodeModel {
  const state = USPS_OTHER_STATES[territory]
  const places = code.places.map(({ name, key, population, aliases, admin }) => {
    // The first level of the territory is the county.
    const isState = admin.name1 === state || admin.code1 === territory
    const [name1, code1] = isState ? ['', ''] : [admin.name1, admin.code1]
    const [name2, number] = admin.name2 ? [admin.name2, admin.code2] : [name1, code1]
    const code2 = territoryCounty(code.key) ?? number
    return {
      name,
      key,
      population,
      aliases,
      admin: { ...admin, name1: state, code1: territory, name2, code2 },
    }
  })
  return withPlaces(code, places)
}

function withPlaces(
  { key, lat, lon, grade, kind, timezone, elevation }: CodeModel,
  places: CodeModel['places'],
): CodeModel {
  return { key, lat, lon, grade, kind, timezone, elevation, places }
}
