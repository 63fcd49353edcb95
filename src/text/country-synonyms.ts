/** Further codes of countries: the reserved one of the United Kingdom, and Greece's in the European Union. */
export const SYNONYMS: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' }
