/** Second codes: UK is reserved for the United Kingdom, EL is the EU's code of Greece. */
export const SYNONYMS: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' }
