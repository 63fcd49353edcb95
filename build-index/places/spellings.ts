/** Further spellings of names that no gazetteer lists. */

const GERMAN = new Set(['AT', 'CH', 'DE', 'LI', 'LU'])
const NORDIC = new Set(['AX', 'DK', 'EE', 'FI', 'FO', 'NO', 'SE', 'SJ'])
/** Two letters for one that a keyboard lacks. Search ignores accents anyway. */
const DIGRAPHS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' }

const RIVER = /^(.+ (?:am|an der|a\.? ?d\.?|ob der|in der|im|vor der|bei)) (\p{Lu})\p{L}{2,}$/u

/** Returns further spellings: `Muenchen`, `Aarhus`, `Frankfurt am M`. Most names have none. */
export function spellings(country: string, name: string): string[] {
  const found = otherOrders(name)
  const [, city, district] = WITH_DISTRICT.exec(name) ?? []
  if (city !== undefined) found.push(city, city.slice(0, -1), district)
  if (JOINED.has(country)) found.push(...withoutKind(country, name))
  if (country === 'FR') found.push(...arrondissements(name))
  if (country === 'KR') found.push(...[name, ...found].map(romanised))
  const german = GERMAN.has(country)
  if (!german && !NORDIC.has(country)) return found
  if (/[äöüøå]/i.test(name)) found.push(withDigraphs(name))
  const [, words, initial] = german ? (RIVER.exec(name) ?? []) : []
  if (words !== undefined) found.push(`${words} ${initial}`)
  return found
}

const OTHER_ORDER = /[(,/]/

/** Returns `La Dehesa` for `Dehesa, La`. */
export function withArticleFirst(name: string): string {
  const [, last, article] = /^(.+), (El|La|Los|Las|A|O|As|Os|L'|Les|Els|The|Het|De|Den|Le)$/.exec(name) ?? []
  if (last === undefined) return name
  return article === "L'" ? article + last : `${article} ${last}`
}

/** Words for kinds of places, by country. People leave them out: 경주 for 경주시, Las Praderas for Urb. Las Praderas. */
const KINDS: Readonly<Record<string, RegExp>> = {
  AR: /^(Barrio|Colonia) (?=...)/i,
  // Nationalities follow the name: `Gongshan Derung and Nu Autonomous County`.
  CN: /(?<=...)((?<=^\S+) .+ Autonomous)? (City|County|Prefecture|Banner|District|Shi|Xian|Qu)$/,
  DE: /^Insel (?=...)/,
  // Parts by compass points: `Aarhus V` is Aarhus west, not the fifth part. Post and people use that name.
  DK: /(?<=...) (C|K|M|N|S|V|Ø|NV|NØ|SV|SØ|Nord|Syd|Øst|Vest)$/,
  DO: /^(Ens|Resd?|Urb)\. (?=...)/,
  GT: /^(Aldea|Municipio de) (?=...)/,
  ID: /^(Kota|Kabupaten|Kec\.?) (?=...)/,
  // Head offices and halves of a suburb: `Andheri H.O`, `Andheri East`.
  IN: /(?<=...) ([GHS]\. ?(P\. ?)?O\.?|East|West)$/,
  KR: /(?<=..)[시군구]$|(?<=...)-(si|gun|gu)$/,
  PH: /^City of (?=...)/,
  // Streets are called after their town: Jurong East Street 21.
  SG: /(?<=...) (Street|Avenue|Central) \d+$/,
  TH: /^(Amphoe Mueang|Amphoe|Khet|Mueang|Muang) (?=...)/,
}
/** Countries in which a name without its kind means the same place: not `Res. Santo Domingo`. */
const JOINED = new Set(['DK', 'KR', 'TH'])

/** Returns a name without the word for its kind, if it has one. */
export function withoutKind(country: string, name: string): string[] {
  const plain = name.replace(KINDS[country] ?? '', '')
  return plain === name ? [] : [plain]
}

/** City and its district: `안산시 상록구`. */
const WITH_DISTRICT = /^(\S+시) (\S+구)$/

/** Returns the parts of double names: `El Palmar` for `Palmar, El (El Palmar)`, `Piran` for `Piran/Pirano`. */
function otherOrders(name: string): string[] {
  const found: string[] = []
  // Most names have no other order, and the expressions below cost a microsecond each.
  if (!OTHER_ORDER.test(name)) return found
  const [, outer, inner] = /^(.+?) ?\((\p{L}.{2,})\)$/u.exec(name) ?? []
  const plain = outer ?? name
  if (inner !== undefined) found.push(outer, inner)
  const ordered = withArticleFirst(plain)
  if (ordered !== plain) found.push(ordered)
  const [, head] = /^(\p{L}{3}[^/]*)\//u.exec(plain) ?? []
  if (head !== undefined) found.push(head.trim())
  return found
}

/** Sounds of a Korean syllable: 19 beginnings, 21 vowels, 28 ends. One beginning and one end are silent. */
const BEGINNINGS = 'g kk n d tt r m b pp s ss  j jj ch k t p h'.split(' ')
const VOWELS = 'a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i'.split(' ')
const ENDS = ' k k k n n n t l k m l l l p l m p p t t ng t t k t p t'.split(' ')
/** Ends before a vowel. */
const SOFT: Readonly<Record<string, string>> = { k: 'g', l: 'r', p: 'b', t: 'd' }

/** Returns Korean letters as maps in Latin script have them: `Gangnamgu` for 강남구, `Jongnogu` for 종로구. */
function romanised(name: string): string {
  const syllables = name.replace(/[가-힣]/g, syllable => {
    const at = syllable.charCodeAt(0) - 0xac00
    return `${BEGINNINGS[Math.floor(at / 588)]}${VOWELS[Math.floor(at / 28) % 21]}${ENDS[at % 28]}.`
  })
  return syllables
    .replace(/n\.r|l\.[nr]/g, 'll')
    .replace(/(?<=[gkmp]\.)r/g, 'n')
    .replace(/k\.(?=[mn])/g, 'ng')
    .replace(/[klpt]\.(?=[aeiouwy])/g, ([end]) => SOFT[end])
    .replaceAll('.', '')
}

/** Returns `Paris 1er` and `Paris 16e arrondissement` for `Paris 01` and `Paris 16`. */
function arrondissements(name: string): string[] {
  const [, city, number] = /^(Paris|Lyon|Marseille) 0?(\d{1,2})$/.exec(name) ?? []
  if (city === undefined) return []
  const ordinal = number === '1' ? '1er' : `${number}e`
  return [
    `${city} ${number}`,
    `${city} ${ordinal}`,
    `${city} ${ordinal} arrondissement`,
    `${city} ${number}ème`,
  ]
}

function withDigraphs(name: string): string {
  return name.replace(/[äöüøå]/gi, letter => {
    const two = DIGRAPHS[letter.toLowerCase()]
    return letter === letter.toLowerCase() ? two : two[0].toUpperCase() + two[1]
  })
}
