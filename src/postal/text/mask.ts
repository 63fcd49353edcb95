/** Written formats of postal codes. In a mask such as `##-###`, each `#` takes a character of the key. */

/** Patterns of the letters of a shape such as `ANA`. */
export const SHAPE_PATTERNS: Readonly<Record<string, string>> = { N: '[0-9]', A: '[A-Z]', X: '[A-Z0-9]' }

export function maskLength(mask: string): number {
  let length = 0
  for (const character of mask) if (character === '#') length++
  return length
}

/** Returns `key` in the mask for its length; unchanged without one. */
export function formatCode(key: string, masks: readonly string[]): string {
  const mask = masks.find(candidate => maskLength(candidate) === key.length)
  if (mask === undefined) return key
  let at = 0
  return mask.replace(/#/g, () => key[at++])
}
