/**
 * Canonical form of an area's name, without the word for its kind, for builder and server: `Skåne län` and
 * `Skåne`, `County Galway` and `Galway`, `广东省` and `广东` are the same.
 */
import { cityKey, cityWords } from './city.ts'

/** Kinds of areas in the languages of their countries, in the form of `cityWords`. */
const AREA_KINDS: ReadonlySet<string> = new Set(
  `area autonomous borough canton cantone capital city co comunidad county departamento departement department depto district
   distrito division federal free freistaat fylke ken krai kraj land lan maakond maakunta megye metropolitan municipality oblast obl
   oblasti oblys prefecture provincia provincie provins province provinz regiao region regione respublika republic republica
   republika state stat state-of statul stolica territory voblast voivodeship wilaya wojewodztwo zupanija apskritis apskr
   judet judetul obshtina oblastta regierungsbezirk powiat kanton comuna estado edo dept prov reg shi sheng to fu do
   hlavni mesto grad gemeente kommun kommune vilayet ili bundesland gewest viloyati rayon raion raionul municipiul
   obcina mestna novads teukbyeolsi gwangyeoksi kray okrug avtonomnyy avtonomnyi avtonomnaya`.split(/\s+/),
)
const LINKS: ReadonlySet<string> = new Set('of de do da del di den der la le the van y'.split(' '))
/** Kinds whose names are in the genitive: `Stockholms län`. */
const GENITIVE: ReadonlySet<string> = new Set(['lan', 'fylke', 'kommun', 'kommune'])

/** Kinds after names in Chinese, Japanese and Korean, and before names in Thai. */
const EASTERN_KIND =
  /(?<=..)(省|市|自治区|特别行政区|特別行政區|[都府県縣道]|(특별자치|특별|광역)[시도]|특별시|도)$|^จังหวัด/
/** Ending of Slavic adjectives, transliterated in many ways: `Permskiy kray`, `Permsky Krai`. */
const ADJECTIVE = /(?<=...sk)[iy]{1,2}$/
const ELISION = /(?<=\s)[dl]['’](?=\p{L})/giu

/** Returns the `cityKey` of an area's name without its kind, if anything else is left. Costs 2 µs. */
export function areaKey(name: string): string {
  const words = cityWords(name.replace(EASTERN_KIND, '').replace(ELISION, ''))
  let [from, to] = [0, words.length]
  while (from < to && (AREA_KINDS.has(words[from]) || (from > 0 && LINKS.has(words[from])))) from++
  let last = ''
  while (to > from && AREA_KINDS.has(words[to - 1])) last = words[--to]
  if (from >= to) return cityKey(name)
  const kept = words.slice(from, to)
  if (GENITIVE.has(last)) kept.push((kept.pop() ?? '').replace(/(?<=...)s$/, ''))
  return cityKey(kept.join(' ')).replace(ADJECTIVE, '')
}
