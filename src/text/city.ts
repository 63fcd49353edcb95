/**
 * The canonical form of a city name: what is left when case, accents, punctuation and short forms no longer matter.
 * Shared by the builder and the server, so that what one stores the other finds.
 */

/** Letters that Unicode does not decompose, as people without them on the keyboard type them. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ŧ: 't',
  ĸ: 'k',
  ſ: 's',
  ə: 'e',
  // Which of the two a capital sigma becomes depends on its neighbours.
  ς: 'σ',
}
const UNDECOMPOSED = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu')

/** Short forms and what they stand for, both folded to one spelling. Each applies to a whole word. */
export const WORDS: ReadonlyMap<string, string> = new Map<string, string>(
  Object.entries({
    saint: 'st',
    sankt: 'st',
    sint: 'st',
    sveti: 'st',
    szent: 'st',
    sainte: 'ste',
    mount: 'mt',
    mountain: 'mtn',
    fort: 'ft',
    port: 'pt',
    point: 'pt',
    heights: 'hts',
    springs: 'spgs',
    junction: 'jct',
    north: 'n',
    south: 's',
    east: 'e',
    west: 'w',
    and: '',
    und: '',
    et: '',
    y: '',
  }),
)

const MARKS = /\p{M}+/gu
const APOSTROPHES = /['’‘ʻʼ`´]/gu
const NOT_WORD = /[^\p{L}\p{N}]+/gu

/** Words of `name`, lower case, without accents and punctuation; an apostrophe joins what stands around it. */
export function cityWords(name: string): string[] {
  return name
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(UNDECOMPOSED, letter => LETTERS[letter])
    .replace(APOSTROPHES, '')
    .split(NOT_WORD)
    .filter(word => word !== '')
}

/**
 * The canonical key of a city name, `''` when no letter or digit is left. Two names match exactly when their keys
 * are equal: `St. Louis` and `Saint Louis`, `Winston-Salem` and `winston salem`. Costs about a microsecond.
 */
export function cityKey(name: string): string {
  const words = cityWords(name)
  let key = ''
  for (const word of words) key += WORDS.get(word) ?? word
  return key === '' ? words.join('') : key
}
