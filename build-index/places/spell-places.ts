/** Spelling of places whose sources lack accents or write in capitals. */
import { ownScripts } from '../../datasets/reference/scripts.ts'
import { titleCase } from '../../datasets/sources/title-case.ts'
import type { Country } from '../areas/country.ts'
import { type ListedCode, replacePlaces } from '../rows/code.ts'
import type { Place } from '../rows/places.ts'
import { NAMED_BY_POST } from '../rows/us-states.ts'
import { NEARLY_ALL_SHARE } from '../thresholds.ts'

const CAPITALS = /^[^\p{Ll}]*\p{Lu}{4}[^\p{Ll}]*$/u
const ASCII = /^[\x20-\x7e]*$/

const SPANISH = 'AR BO CL CO CR CU DO EC ES GT HN MX NI PA PE PR PY SV UY VE'.split(' ')
/** `Palma De Mallorca`. */
const SMALL_WORDS = /(?<=\S )(De( La| Las| Los)?|Del|Y)(?= )/g

/** Takes the gazetteer's spelling of a name in capitals, and of one without accents in countries of Latin script. */
export function spellPlaces(codes: readonly ListedCode[], { cc, pool }: Country): readonly ListedCode[] {
  // The post of the US writes without accents.
  const isAccented = ownScripts(cc) === undefined && !NAMED_BY_POST.has(cc)
  const isSpanish = SPANISH.includes(cc)
  const capitals = codes.filter(({ places }) => isInCapitals(places[0].name)).length
  const areAllCapitals = capitals >= codes.length * NEARLY_ALL_SHARE
  const spelled = ({ name, key, city }: Place): string => {
    const isCapitals = isInCapitals(name)
    const mayGain = isCapitals || (isAccented && isAscii(name) && city && !isAscii(city.name))
    if (mayGain && city?.keys[0] === key) return city.name
    if (isCapitals && areAllCapitals) return titleCase(name)
    return isSpanish ? name.replace(SMALL_WORDS, words => words.toLowerCase()) : name
  }
  return replacePlaces(codes, place => pool.renamed(place, spelled(place)))
}

export function isInCapitals(name: string): boolean {
  return CAPITALS.test(name)
}

export function isAscii(name: string): boolean {
  return ASCII.test(name)
}
