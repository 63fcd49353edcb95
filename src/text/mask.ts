/** Written formats of postal codes. In a mask such as `##-###`, each `#` takes the next character of the key. */

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
