/** The shapes that a country's keys have, and an example of each. */
import { addTo } from '../../datasets/lists.ts'

/** @param keys in the order of their codes @returns the most frequent shape first; the example is the one in the middle of its keys */
export function keyShapes(keys: readonly string[]): { shapes: string[]; examples: string[] } {
  const byShape = new Map<string, string[]>()
  for (const key of keys) {
    const shape = key.replace(/[A-Z]/g, 'A').replace(/[0-9]/g, 'N')
    addTo(byShape, shape, key)
  }
  const sorted = [...byShape].sort(([, a], [, b]) => b.length - a.length)
  return {
    shapes: sorted.map(([shape]) => shape),
    examples: sorted.map(([, keys]) => keys[keys.length >>> 1]),
  }
}
