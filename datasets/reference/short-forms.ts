/**
 * Parts of postal codes that posts and people use on their own, in the letters of `code-shapes.ts`: `|` stands after the part. Where an
 * index holds full codes, the part is found as the area of the codes that begin with it. Not every seam makes such a part: nobody
 * writes the first three digits of a Swedish code alone.
 */
const OUTWARD = ['AN|NAA', 'ANN|NAA', 'ANA|NAA', 'AAN|NAA', 'AANN|NAA', 'AANA|NAA', 'AAA|NAA']

const SHORT_FORMS: Readonly<Record<string, readonly string[]>> = {
  AR: ['A|NNNN|AAA'], // the CPA: the letter of the province, the old code of four digits, the side of the street
  BR: ['NNNNN|NNN'], // the CEP before 1992
  CA: ['ANA|NAN'], // forward sortation area
  GB: OUTWARD,
  GG: OUTWARD,
  IE: ['XXX|XXXX'], // routing key
  IM: OUTWARD,
  JE: OUTWARD,
  JP: ['NNN|NNNN'], // the code before 1998
  MT: ['AAA|NNNN', 'AAA|NNN', 'AAA|NN'], // the letters of the locality
  NL: ['NNNN|AA'], // neighbourhood
  PT: ['NNNN|NNN'], // the code before 1998
  TW: ['NNN|NNN', 'NNN|NN'], // district
  US: ['NNNNN|NNNN'], // ZIP code of a ZIP+4
}

/** Forms of the full codes of `country` whose beginning is used on its own; none where there is no such use. */
export function shortForms(country: string): readonly string[] {
  return SHORT_FORMS[country] ?? []
}
