/** Written forms of codes, by the post and in the index. */

import { addTo, getOrMake } from '../../datasets/maps.ts'
import { shapePattern } from '../../datasets/reference/post-forms.ts'
import type { CountryRules, PackedPost } from '../../src/postal/format/meta.ts'
import { SYMBOLS } from '../../src/postal/text/code-symbols.ts'
import { shapeOf } from '../rows/code-rules.ts'

const UNKNOWN: PackedPost = { name: 'Postal code', pattern: '', keyPattern: '', forms: [] }

/**
 * @param form undefined if none is published
 * @param rules forms of codes in the index; undefined for none
 */
export function packedPost(
  form: PackedPost = UNKNOWN,
  rules: Pick<CountryRules, 'prefixes' | 'shapes' | 'examples'> = { prefixes: [], shapes: [], examples: [] },
): PackedPost {
  const published = new RegExp(`^(?:${form.keyPattern})$`)
  const others = rules.shapes.filter((_, i) => !published.test(rules.examples[i]))
  const keys = [...(form.keyPattern === '' ? [] : [form.keyPattern]), ...others.map(shapePattern)].join('|')
  return { ...form, keyPattern: `(?:${rules.prefixes.join('|')})?(?:${keys})` }
}

/**
 * Returns the ends of full codes that the post writes after `head`, by their shapes. Each has the characters of each
 * place. `1012` has two ends, because no pair of letters is SA, SD or SS.
 */
export function tailsAfter(head: string, shapes: readonly string[], form: PackedPost = UNKNOWN): string[][] {
  const pattern = form.keyPattern || '.*'
  const whole = new RegExp(`^(?:${pattern})$`)
  // Signs that no part of the pattern tells apart. Ends of IE have a million combinations of single ones.
  const parts = ['\\d', ...(pattern.match(/\[.*?\]|\\?\w/g) ?? [])].map(part => new RegExp(part))
  const alike = new Map<string, string[]>()
  for (const sign of SYMBOLS) addTo(alike, String(parts.map(part => part.test(sign))), sign)
  const endsOf = (beginning: string, shape: string): string[][] => {
    if (shape === '') return whole.test(beginning) ? [[]] : []
    const byRest = new Map<string, { signs: string[]; rests: string[][] }>()
    const accepted = new RegExp(shapePattern(shape[0]))
    for (const group of alike.values()) {
      if (!accepted.test(group[0])) continue
      const rests = endsOf(beginning + group[0], shape.slice(1))
      getOrMake(byRest, JSON.stringify(rests), () => ({ signs: [], rests })).signs.push(...group)
    }
    return [...byRest.values()].flatMap(({ signs, rests }) =>
      rests.map(rest => [signs.sort().join(''), ...rest]),
    )
  }
  return shapes.flatMap(shape => endsOf(head, shape))
}

/** Returns shapes of keys, the most frequent first, each with the middle one of its keys. */
export function keyShapes(keys: readonly string[]): { shapes: string[]; examples: string[] } {
  const byShape = new Map<string, string[]>()
  for (const key of keys) addTo(byShape, shapeOf(key), key)
  const sorted = [...byShape].sort(([, a], [, b]) => b.length - a.length)
  return {
    shapes: sorted.map(([shape]) => shape),
    examples: sorted.map(([, keys]) => keys[keys.length >>> 1]),
  }
}
