/** The ACCU section: how exact the position of each code is, in two bits. FORMAT.md says what the grades mean. */

/** By the number that stands for them, from the roughest on. */
export const ACCURACIES = ['', 'area', 'place', 'code'] as const
export type Accuracy = (typeof ACCURACIES)[number]

const CODES_A_WORD = 16

/** @param accuracies of all codes, by code index */
export function packAccuracies(accuracies: ArrayLike<number>): Uint32Array {
  const words = new Uint32Array(Math.ceil(accuracies.length / CODES_A_WORD))
  for (let code = 0; code < accuracies.length; code++)
    words[Math.floor(code / CODES_A_WORD)] |= accuracies[code] << bitOf(code)
  return words
}

/** The number in `ACCURACIES` of the code with index `code`; 0 where the file has no such section. */
export function accuracyAt(words: Uint32Array, code: number): number {
  const at = Math.floor(code / CODES_A_WORD)
  return at < words.length ? (words[at] >>> bitOf(code)) & 3 : 0
}

function bitOf(code: number): number {
  return (code % CODES_A_WORD) * 2
}
