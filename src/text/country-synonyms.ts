/** Other codes for countries: the United Kingdom's exceptionally reserved one, and Greece's in the European Union. */
export const SYNONYMS: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' }
