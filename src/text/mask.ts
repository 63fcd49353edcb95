/** Written forms of postal codes. A mask is a text in which each `#` takes the next character of the key: `##-###`. */

export function maskLength(mask: string): number {
  let length = 0
  for (const character of mask) if (character === '#') length++
  return length
}

/** The written form of `key`: by the mask for its length, or as it is when there is none. */
export function formatCode(key: string, masks: readonly string[]): string {
  const mask = masks.find(candidate => maskLength(candidate) === key.length)
  if (mask === undefined) return key
  let at = 0
  return mask.replace(/#/g, () => key[at++])
}
