/** Countries by their scripts besides Latin. */
const SCRIPTS: Readonly<Record<string, string>> = {
  Arabic: 'DZ MA PK',
  Bengali: 'BD IN',
  Cyrillic: 'BG BY KZ MD MK RS RU UA',
  Devanagari: 'IN',
  Greek: 'CY GR',
  Gujarati: 'IN',
  Gurmukhi: 'IN',
  Han: 'CN JP TW',
  Hangul: 'KR',
  Hiragana: 'JP',
  Kannada: 'IN',
  Katakana: 'JP',
  Malayalam: 'IN',
  Sinhala: 'LK',
  Tamil: 'IN LK',
  Telugu: 'IN',
  Thai: 'TH',
}

/** Matches names in the scripts of `country` besides Latin; undefined where there are none. */
export function ownScripts(country: string): RegExp | undefined {
  const scripts = Object.keys(SCRIPTS).filter(script => SCRIPTS[script].split(' ').includes(country))
  if (scripts.length === 0) return undefined
  return new RegExp(`^[${scripts.map(script => `\\p{Script=${script}}`).join('')}]`, 'u')
}

/** Returns `name` without accents. */
export function withoutAccents(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '')
}
