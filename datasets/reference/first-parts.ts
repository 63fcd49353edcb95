/**
 * First parts of codes that people use alone, such as `SW1A` of `SW1A 1AA`; `|` ends the part. `code-shapes.ts` has
 * the letters. Not every seam ends such a part: nobody writes the first three digits of a Swedish code alone.
 */
const OUTWARD = ['AN|NAA', 'ANN|NAA', 'ANA|NAA', 'AAN|NAA', 'AANN|NAA', 'AANA|NAA', 'AAA|NAA']

const FORMS: Readonly<Record<string, readonly string[]>> = {
  AR: ['A|NNNN|AAA'], // the CPA: the letter of the province, the old code of four digits, the side of the street
  BR: ['NNNNN|NNN'], // the CEP before 1992
  CA: ['ANA|NAN'], // forward sortation area
  CL: ['NNN|NNNN'], // part of a comuna
  CN: ['NNNN|NN'], // county
  GB: OUTWARD,
  GG: OUTWARD,
  IE: ['ANN|XXXX', 'ANA|XXXX'], // routing key, D6W among them
  IM: OUTWARD,
  JE: OUTWARD,
  JP: ['NNN|NNNN'], // the code before 1998
  MT: ['AAA|NNNN', 'AAA|NNN', 'AAA|NN'], // the letters of the locality
  NL: ['NNNN|AA'], // neighbourhood
  PT: ['NNNN|NNN'], // the code before 1998
  TW: ['NNN|NNN', 'NNN|NN'], // district
  US: ['NNNNN|NNNN'], // ZIP code of a ZIP+4
}

/** Returns the forms of full codes whose first part is used alone. */
export function formsWithFirstPart(country: string): readonly string[] {
  return FORMS[country] ?? []
}
