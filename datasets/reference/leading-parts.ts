/**
 * Leading parts of postal codes that people use on their own, `SW1A` of `SW1A 1AA`, in the letters of `code-shapes.ts`. `|` ends the part.
 * Where an index holds full codes, the part is the area of the codes that begin with it. Nobody writes the first three digits of a Swedish
 * code alone, so not every seam ends such a part.
 */
const OUTWARD = ['AN|NAA', 'ANN|NAA', 'ANA|NAA', 'AAN|NAA', 'AANN|NAA', 'AANA|NAA', 'AAA|NAA']

const FORMS: Readonly<Record<string, readonly string[]>> = {
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

/** Returns the forms of `country`'s full codes whose leading part is used on its own. */
export function formsWithPart(country: string): readonly string[] {
  return FORMS[country] ?? []
}
