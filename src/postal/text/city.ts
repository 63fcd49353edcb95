/** Canonical form of a city name, without case, accents, punctuation and long forms. */

/** Letters that Unicode does not decompose, in the spelling of other keyboards. */
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
  // Cyrillic, so that a name and its English spelling are the same (Москва, Moskva).
  а: 'a',
  б: 'b',
  в: 'v',
  г: 'g',
  ґ: 'g',
  д: 'd',
  е: 'e',
  є: 'ye',
  ж: 'zh',
  з: 'z',
  и: 'i',
  і: 'i',
  ј: 'j',
  к: 'k',
  л: 'l',
  љ: 'lj',
  м: 'm',
  н: 'n',
  њ: 'nj',
  о: 'o',
  п: 'p',
  р: 'r',
  с: 's',
  т: 't',
  у: 'u',
  ф: 'f',
  х: 'kh',
  ц: 'ts',
  ч: 'ch',
  џ: 'dz',
  ш: 'sh',
  щ: 'sh',
  ъ: '',
  ы: 'y',
  ь: '',
  э: 'e',
  ю: 'yu',
  я: 'ya',
  ђ: 'dj',
  ћ: 'c',
  // A capital sigma becomes `σ` or `ς`, depending on its neighbours.
  ς: 'σ',
  // Both are written in the names of Taiwan's cities.
  臺: '台',
}
const UNDECOMPOSED = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu')

/** Whole words and their short forms. */
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
    point: 'pt',
    port: 'prt',
    ciudad: 'cd',
    general: 'gral',
    gen: 'gral',
    puerto: 'pto',
    santa: 'sta',
    santo: 'sto',
    am: 'a',
    an: 'a',
    auf: 'a',
    bad: 'b',
    bei: 'b',
    der: 'd',
    dem: 'd',
    im: 'i',
    in: 'i',
    ob: 'o',
    vor: 'v',
    nad: 'n',
    sur: 's',
    sous: 's',
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

/** Returns the words of `name` in lower case, without accents. An apostrophe joins its neighbours. */
export function cityWords(name: string): string[] {
  const words: string[] = []
  let word = ''
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i)
    const folded = folds[unit >> 8]?.[unit & 0xff] ?? foldOf(unit)
    // Most units are one letter, digit or space.
    if (folded.length === 1 && folded !== ' ') word += folded
    else if (folded === ' ') {
      if (word !== '') words.push(word)
      word = ''
    } else if (folded === SURROGATE) return wordsOf(fold(name))
    else if (folded.includes(' ')) {
      const [first, ...others] = (word + folded).split(' ')
      word = others.pop() ?? ''
      words.push(...[first, ...others].filter(isWord))
    } else word += folded
  }
  if (word !== '') words.push(word)
  return words
}

/** Fold of half a surrogate pair, which folds only with its other half. */
const SURROGATE = 'surrogate'
const SURROGATES = 0xd800
const SURROGATES_END = 0xe000

/** Folds by unit, in pages of 256, filled on first use: `normalize` only reorders removed marks. */
const folds: (string | undefined)[][] = []

function foldOf(unit: number): string {
  const isSurrogate = unit >= SURROGATES && unit < SURROGATES_END
  const folded = isSurrogate ? SURROGATE : fold(String.fromCharCode(unit))
  folds[unit >> 8] ??= new Array<string | undefined>(256)
  folds[unit >> 8][unit & 0xff] = folded
  return folded
}

function wordsOf(folded: string): string[] {
  return folded.split(' ').filter(isWord)
}

/** Returns `text` in lower case without accents and apostrophes. All other signs become spaces. */
function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(MARKS, '')
    .toLowerCase()
    .replace(UNDECOMPOSED, letter => LETTERS[letter])
    .replace(APOSTROPHES, '')
    .replace(NOT_WORD, ' ')
}

function isWord(word: string): boolean {
  return word !== ''
}

/** Returns the key of a city name, `''` without letters and digits: `St. Louis` and `Saint Louis` are one. */
export function cityKey(name: string): string {
  return keyOfWords(cityWords(name))
}

export function keyOfWords(words: readonly string[]): string {
  // Takes two thirds of the time of joining `shortWords`.
  let key = ''
  for (const word of words) key += WORDS.get(word) ?? word
  return key === '' ? words.join('') : key
}

/** Returns the words in their short forms; unchanged if nothing would be left. */
export function shortWords(words: readonly string[]): readonly string[] {
  const short = words.map(word => WORDS.get(word) ?? word).filter(isWord)
  return short.length === 0 ? words : short
}

/** Returns the words of `cityKey` with spaces: `St. Louis` is `st louis`. Autocomplete sorts names by it. */
export function nameText(name: string): string {
  return shortWords(cityWords(name)).join(' ')
}
