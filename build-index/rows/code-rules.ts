/** Rules of a country's codes, derived from the codes themselves and the known written forms. */
import { codeForms } from '../../datasets/reference/code-shapes.ts'
import { canonicalCode } from '../../src/text/code.ts'
import type { CodeRules } from '../model.ts'
import { prefixesOf } from './written-prefixes.ts'

/** Share of a country's codes below which a shape counts as a stray, as `H0H 0H0` does among Canada's short codes. */
const STRAY_SHARE = 0.01

/** Countries that print their codes otherwise than people write them: `normalized` is `1000001` in Japan. */
const PLAIN_WRITTEN = new Set(['JP'])

/**
 * @param keys all keys of the country
 * @param forms how often its best source writes its codes in which mask, `##-###` for example
 */
export function codeRules(
  country: string,
  keys: readonly string[],
  forms: ReadonlyMap<string, number>,
): CodeRules {
  const shapes = countShapes(keys)
  const prefixes = isStray(lettered(shapes), keys.length) ? prefixesOf(country) : []
  return {
    padTo: padTo(shapes, keys.length),
    prefixes,
    tails: tails(fullForms(country, prefixes.length > 0), shapes, keys.length),
    masks: PLAIN_WRITTEN.has(country) ? [] : masks(country, shapes, forms),
  }
}

/** True if `keys` are only the leading parts of the country's codes: GB's outward codes, but not ZIP codes without +4. */
export function areShort(country: string, keys: readonly string[], rules: CodeRules): boolean {
  if (rules.tails.length === 0) return false
  const forms = fullForms(country, rules.prefixes.length > 0).map(form => form.replaceAll('|', ''))
  for (const [shape, count] of countShapes(keys))
    if (!isStray(count, keys.length) && forms.some(form => matches(shape, form))) return false
  return true
}

/** Shapes of full codes, without the letters that are a prefix here and so no part of the key. */
function fullForms(country: string, prefixed: boolean): string[] {
  const shapes = codeForms(country)?.shapes ?? []
  return prefixed ? shapes.map(shape => shape.replace(/^A{2}\|?(?=N)/, '')) : [...shapes]
}

/** The mask of `code` as written, given its key: `LV-1001` with key `1001` is `LV-####`. */
export function maskOf(code: string, key: string): string {
  const upper = code.toUpperCase()
  let mask = ''
  let left = key.length
  // From the end, because a prefix may hold the same characters as the key.
  for (let i = upper.length - 1; i >= 0; i--) {
    const isKey = left > 0 && upper[i] === key[left - 1]
    mask = (isKey ? '#' : upper[i]) + mask
    if (isKey) left--
  }
  return mask
}

/** `key` in the written form that `rules` give its length. */
export function writtenForm(rules: Pick<CodeRules, 'masks'>, key: string): string {
  for (const mask of rules.masks) {
    let written = ''
    let at = 0
    for (const sign of mask) written += sign === '#' ? key[at++] : sign
    if (at === key.length) return written
  }
  return key
}

/** Returns `key` with `A` for each letter and `N` for each digit. */
export function shapeOf(key: string): string {
  return key.replace(/[A-Z]/g, 'A').replace(/\d/g, 'N')
}

function countShapes(keys: readonly string[]): Map<string, number> {
  const shapes = new Map<string, number>()
  for (const key of keys) {
    const shape = shapeOf(key)
    shapes.set(shape, (shapes.get(shape) ?? 0) + 1)
  }
  return shapes
}

function isStray(count: number, of: number): boolean {
  return count < of * STRAY_SHARE
}

/** Number of keys with a letter in them. */
function lettered(shapes: ReadonlyMap<string, number>): number {
  let count = 0
  for (const [shape, keys] of shapes) if (shape.includes('A')) count += keys
  return count
}

function padTo(shapes: ReadonlyMap<string, number>, total: number): number {
  for (const [shape, count] of shapes)
    if (/^N{3,}$/.test(shape) && isStray(total - count, total)) return shape.length
  return 0
}

/** Shapes that may follow a stored short code. */
function tails(forms: readonly string[], shapes: ReadonlyMap<string, number>, total: number): string[] {
  const found = new Set<string>()
  const matching = (form: string) => {
    let count = 0
    for (const [shape, keys] of shapes) if (matches(shape, form)) count += keys
    return count
  }
  for (const form of forms) {
    const seam = form.lastIndexOf('|')
    if (seam < 0) continue
    const head = form.slice(0, seam).replaceAll('|', '')
    if (!isStray(matching(head), total)) found.add(form.slice(seam + 1))
  }
  if (found.size > 0) return [...found].sort()
  // No seam to go by (Singapore): when all stored codes have one length and every full one is longer, the rest is the tail.
  const [length, ...others] = new Set([...shapes.keys()].map(shape => shape.length))
  if (
    others.length > 0 ||
    forms.length === 0 ||
    forms.some(form => form.includes('|') || form.length <= length)
  )
    return []
  return [...new Set(forms.map(form => form.slice(length)))].sort()
}

function matches(shape: string, form: string): boolean {
  if (shape.length !== form.length) return false
  for (let i = 0; i < shape.length; i++) if (form[i] !== 'X' && form[i] !== shape[i]) return false
  return true
}

/** For every key length the form that the data writes most, else the one of the examples; none where that is the plain form. */
function masks(
  country: string,
  shapes: ReadonlyMap<string, number>,
  forms: ReadonlyMap<string, number>,
): string[] {
  const examples = new Map<string, number>()
  for (const example of codeForms(country)?.examples ?? []) {
    const mask = maskOf(example, canonicalCode(example) ?? '')
    examples.set(mask, (examples.get(mask) ?? 0) + 1)
  }
  const lengths = [...new Set([...shapes.keys()].map(shape => shape.length))].sort((a, b) => a - b)
  return lengths.flatMap(length => {
    const mask = mostFrequent(forms, length) ?? mostFrequent(examples, length)
    return mask === undefined ? [] : [mask]
  })
}

/** The mask for keys of `length` that is counted most; undefined when that is the plain one, or there is none. */
function mostFrequent(masks: ReadonlyMap<string, number>, length: number): string | undefined {
  let best: string | undefined
  for (const [mask, count] of masks) {
    if (mask.replace(/[^#]/g, '').length !== length) continue
    if (best === undefined || count > (masks.get(best) ?? 0)) best = mask
  }
  return best === '#'.repeat(length) ? undefined : best
}
