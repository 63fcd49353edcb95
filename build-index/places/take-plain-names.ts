/**
 * Plain names of places. Sources write more than the name, or write it in another order:
 *
 *     Долина (Долинська сільська рада)   Долина
 *     Dehesa, La (Ayna)                  La Dehesa
 *     Oberwart / Felsöör                 Oberwart
 *
 * The code answers with the plain name. The written one is a further place, so that both are found.
 */
import { memoised } from '../../datasets/maps.ts'
import { cityKey } from '../../src/postal/text/city.ts'
import type { Country } from '../areas/country.ts'
import type { Gazetteer } from '../gazetteer/gazetteer.ts'
import { type ListedCode, positionOf, withEachPlace, withRow } from '../rows/code.ts'
import type { Place } from '../rows/places.ts'
import { withArticleFirst } from './spellings.ts'

/** Countries whose official names have brackets: `Halle (Saale)`. */
const OFFICIAL_BRACKETS = new Set('AT CH DE LI LU NL PT'.split(' '))
const REMARK = /[([]/
const BRACKETS = /^([^([]{2,}?) ?[([] ?([^)\]]*)[)\]]?\.?$/
/** Articles that stay small at the beginning of a name. */
const SMALL_ARTICLE = /^(els?|la|les?|l[oa]s|de|den|het|ter|ing|[dlst]['’])(?!\p{L})/u

/** Returns false for a name that has a plain one. */
export function isPlain(country: string, name: string): boolean {
  return !name.includes(' / ') && (OFFICIAL_BRACKETS.has(country) || !REMARK.test(name))
}

export function takePlainNames(
  codes: readonly ListedCode[],
  { cc, pool, gazetteer }: Country,
): readonly ListedCode[] {
  const plainOf = memoised(({ name, admin, aliases }: Place) =>
    pool.place(plainName(cc, name, gazetteer) || name, admin, aliases),
  )
  return codes.map(code => {
    let named = withEachPlace(code, plainOf)
    for (const [i, place] of code.places.entries()) {
      const plain = plainOf(place)
      if (plain !== place && plain.key !== place.key) named = withRow(named, place, positionOf(code, i))
    }
    return named
  })
}

function plainName(country: string, name: string, gazetteer: Gazetteer): string {
  const [own] = name.split(' / ')
  const [, outer, inner] = OFFICIAL_BRACKETS.has(country) ? [] : (BRACKETS.exec(own) ?? [])
  const isKnown = (candidate: string) => gazetteer.named(cityKey(candidate)).length > 0
  // Canada writes the town in brackets after a region: `Bas-St-Laurent-Ouest (Trois-Pistoles)`.
  const isTown = country === 'CA' && inner !== undefined && isKnown(inner) && !isKnown(outer)
  const plain = withArticleFirst((isTown ? inner : (outer ?? own)).trim())
  return SMALL_ARTICLE.test(plain) ? plain : plain.charAt(0).toUpperCase() + plain.slice(1)
}
