/**
 * Cities of a code. Sources name neighbourhoods, post offices and villages, but people search for the city:
 *
 *   FR 75001  Paris 01             Paris           a numbered part: the city answers
 *   PH 1000   Manila CPO - Ermita  Manila          a post office: the city answers
 *   TR 34710  Kadıköy              Istanbul        an area has the name of the city, a further place as all below
 *   US 90028  Los Angeles          Hollywood       a section without codes has those in its circle
 *   NL 2132   Hoofddorp            Haarlemmermeer  the municipality, where rows have it, as in the world's index
 *
 * `add-cities-of-parts.ts` chooses cities that answer, the folder `cities/` the others.
 */
import { type City, SECTION } from '../../datasets/reference/cities-500.ts'
import type { Level } from '../model.ts'
import { OWN_TOWN_POPULATION_MIN } from '../thresholds.ts'

interface CityRule {
  /** Levels at which rows of neighbourhoods name the city that answers. */
  levels?: readonly Level[]
  /** True if the city answers only for codes without a populated place. */
  isFallback?: boolean
  /** True if the city answers even if the gazetteer lacks it. */
  isUnlisted?: boolean
  /** Level of municipalities, which are further places. */
  municipality?: Level
  /** True if only the name of an area says that it is a city: `Kota Padang`, but not `Kabupaten Ciamis`. */
  isMarked?: boolean
  /** Names of organisations. The nearest city answers for their codes. */
  organisations?: RegExp
}

/** Words in names of organisations, which have codes of their own in Germany. */
const ORGANISATION =
  /\b(GmbH|AG|KG|KGaA|SE|OHG|eG|e\. ?V\.|mbH|Bundesamt|Finanzamt|Familienkasse|Agentur für Arbeit|Sparkasse|Krankenkasse|Versicherung(en)?|Bank|Versand|Deutsche Post|Rundfunk)(?!\p{L})|\p{L}(bank|kasse|versicherung|versand|rundfunk)(?!\p{L})/iu
/** The same at the end of names in India, with railway stations and offices. */
const INDIAN_ORGANISATION =
  /\b(University|College|Hospital|Project|Factory|Mills?|Airport|Court|Secretariat|Railway|[RHS]\. ?[OS]\.?)$/

/** Rules by country. In others, areas are larger than cities. */
const RULES: readonly [countries: string, rule: CityRule][] = [
  ['CA', { levels: [2] }],
  ['CO GB', { levels: [2], isFallback: true }],
  ['DE', { levels: [3], isFallback: true, isMarked: true, organisations: ORGANISATION }],
  ['IN', { organisations: INDIAN_ORGANISATION }],
  ['KR', { levels: [1], isFallback: true, municipality: 2 }],
  ['MX', { levels: [3, 2] }],
  ['PH', { levels: [3, 2], isFallback: true }],
  ['TR', { levels: [2], isUnlisted: true }],
  ['BE GT TW', { municipality: 1, isMarked: true }],
  ['ID TH', { municipality: 2, isMarked: true }],
  ['AU BG CR DK EC LU NL NO PT SE', { municipality: 2 }],
  ['AT CH CL ES FI HR PE PL', { municipality: 3 }],
]

const BY_COUNTRY = new Map(
  RULES.flatMap(([countries, rule]) => countries.split(' ').map(country => [country, rule] as const)),
)

export function cityRuleOf(country: string): CityRule {
  return BY_COUNTRY.get(country) ?? {}
}

/** GeoNames' kinds of places that are no cities: sections, former and ruined ones. */
export const NO_CITIES: ReadonlySet<string> = new Set([SECTION, 'PPLH', 'PPLQ', 'PPLW', 'PPLCH'])

/** Returns true for a town that keeps its codes from a city around it. */
export function isOwnTown(town: City, city: City): boolean {
  if (NO_CITIES.has(town.kind) || town.population < OWN_TOWN_POPULATION_MIN) return false
  // Not in the municipality of the city, nor in the county that the city is: Camden in London.
  const level = (['admin4', 'admin3', 'admin2'] as const).find(level => city[level] !== '')
  return level === undefined || town.admin1 !== city.admin1 || town[level] !== city[level]
}
