/** Joins how a post writes its codes with how the index has them. */
import { type PostForm, shapePattern } from '../../datasets/reference/post-forms.ts'
import type { CountryRules, PackedPost } from '../../src/format/meta.ts'

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
