/** Further spellings of names that no gazetteer lists. */

const GERMAN = new Set(['AT', 'CH', 'DE', 'LI', 'LU'])
const NORDIC = new Set(['AX', 'DK', 'EE', 'FI', 'FO', 'NO', 'SE', 'SJ'])
/** Two letters for one that a keyboard lacks. Search ignores accents anyway. */
const DIGRAPHS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' }

const RIVER = /^(.+ (?:am|an der|a\.? ?d\.?|ob der|in der|im|vor der|bei)) (\p{Lu})\p{L}{2,}$/u

/** Returns further spellings: `Muenchen`, `Aarhus`, `Frankfurt am M`. Most names have none. */
export function spellings(country: string, name: string): string[] {
  const found = otherOrders(name)
  if (country === 'FR') found.push(...arrondissements(name))
  const german = GERMAN.has(country)
  if (!german && !NORDIC.has(country)) return found
  if (/[äöüøå]/i.test(name)) found.push(withDigraphs(name))
  const [, words, initial] = german ? (RIVER.exec(name) ?? []) : []
  if (words !== undefined) found.push(`${words} ${initial}`)
  return found
}

const OTHER_ORDER = /[(,/]|^(Muang|Mueang|Amphoe) /

/** Returns the parts of double names: `El Palmar` for `Palmar, El (El Palmar)`, `Piran` for `Piran/Pirano`. */
function otherOrders(name: string): string[] {
  const found: string[] = []
  // Most names have no other order, and the expressions below cost a microsecond each.
  if (!OTHER_ORDER.test(name)) return found
  const [, outer, inner] = /^(.+?) ?\((\p{L}.{2,})\)$/u.exec(name) ?? []
  const plain = outer ?? name
  if (inner !== undefined) found.push(outer, inner)
  const [, last, article] = /^(.+), (El|La|Los|Las|A|O|As|Os|L'|Les|Els|The|Het|De|Den|Le)$/.exec(plain) ?? []
  if (last !== undefined) found.push(article === "L'" ? article + last : `${article} ${last}`)
  const [, head] = /^(\p{L}{3}[^/]*)\//u.exec(plain) ?? []
  if (head !== undefined) found.push(head.trim())
  const [, district] = /^(?:Mueang|Muang|Amphoe Mueang|Amphoe) (.{3,})$/.exec(plain) ?? []
  if (district !== undefined) found.push(district)
  return found
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
