/** How codes are written: by the post of a country, and in the index. */

import { addTo } from '../../datasets/maps.ts'
import { type PostForm, shapePattern } from '../../datasets/reference/post-forms.ts'
import type { CountryRules, PackedPost } from '../../src/format/meta.ts'
import { shapeOf } from '../rows/code-rules.ts'

const UNKNOWN: PostForm = { name: 'Postal code', pattern: '', keyPattern: '', forms: [] }

/**
 * @param form undefined where nobody has published one
 * @param rules of the codes that the index has; undefined for none
 */
export function packedPost(
  form: PostForm = UNKNOWN,
  rules: Pick<CountryRules, 'prefixes' | 'shapes' | 'examples'> = { prefixes: [], shapes: [], examples: [] },
): PackedPost {
  const published = new RegExp(`^(?:${form.keyPattern})$`)
  const others = rules.shapes.filter((_, i) => !published.test(rules.examples[i]))
  const keys = [...(form.keyPattern === '' ? [] : [form.keyPattern]), ...others.map(shapePattern)].join('|')
  return { ...form, keyPattern: `(?:${rules.prefixes.join('|')})?(?:${keys})` }
}

/** Returns the shapes of a country's keys with an example of each. @param keys in the order of their codes @returns the most frequent shape first; the example is the one in the middle of its keys */
export function keyShapes(keys: readonly string[]): { shapes: string[]; examples: string[] } {
  const byShape = new Map<string, string[]>()
  for (const key of keys) addTo(byShape, shapeOf(key), key)
  const sorted = [...byShape].sort(([, a], [, b]) => b.length - a.length)
  return {
    shapes: sorted.map(([shape]) => shape),
    examples: sorted.map(([, keys]) => keys[keys.length >>> 1]),
  }
}
