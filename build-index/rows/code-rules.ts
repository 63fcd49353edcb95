import { increment, mostFrequent, sumOf } from '../../datasets/maps.ts'
import { codeForms, seamsOf } from '../../datasets/reference/code-shapes.ts'
import { formsWithFirstPart } from '../../datasets/reference/first-parts.ts'
import { canonicalCode } from '../../src/postal/text/code-symbols.ts'
import { maskLength } from '../../src/postal/text/mask.ts'
import type { CodeRules } from '../model.ts'
import { STRAY_SHARE } from '../thresholds.ts'
import { prefixesOf } from './written-prefixes.ts'

/**
 * @param keys all keys of the country
 * @param forms number of codes by mask, such as `##-###`, in the best source
 */
export function codeRules(
  country: string,
  keys: readonly string[],
  forms: ReadonlyMap<string, number>,
): CodeRules {
  const shapes = countShapes(keys)
  const lettered = countKeys(shapes, shape => shape.includes('A'))
  const prefixes = isStray(lettered, keys.length) ? prefixesOf(country) : []
  return {
    padTo: padTo(country, shapes, keys.length),
    prefixes,
    tails: tails(fullForms(country, prefixes.length > 0), shapes, keys.length),
    // `normalized` has no separator in Japan: `1000001`.
    masks: country === 'JP' ? [] : masks(country, shapes, forms),
  }
}

/** Returns true if `keys` are only first parts of full codes: GB's outward codes, but not ZIP codes without +4. */
export function areShort(country: string, keys: readonly string[], rules: CodeRules): boolean {
  if (rules.tails.length === 0) return false
  const forms = fullForms(country, rules.prefixes.length > 0).map(form => seamsOf(form).whole)
  for (const [shape, count] of countShapes(keys))
    if (!isStray(count, keys.length) && forms.some(form => matches(shape, form))) return false
  return true
}

/** Returns the shapes of full codes, without letters that are a prefix. */
function fullForms(country: string, prefixed: boolean): string[] {
  const shapes = [...(codeForms(country)?.shapes ?? []), ...formsWithFirstPart(country)]
  return prefixed ? shapes.map(shape => shape.replace(/^A{2}\|?(?=N)/, '')) : shapes
}

/**
 * Returns a function that gives the first part of a code, if people use it alone; else ''. The first part may be the
 * code itself.
 */
export function firstPartOf(country: string): (key: string) => string {
  const forms = formsWithFirstPart(country)
    .map(seamsOf)
    .map(({ whole, beginnings: [beginning] }) => ({ whole, beginning }))
  return key => {
    if (forms.length === 0) return ''
    const shape = shapeOf(key)
    const form = forms.find(({ whole }) => matches(shape, whole))
    if (form !== undefined) return key.slice(0, form.beginning.length)
    return forms.some(({ beginning }) => matches(shape, beginning)) ? key : ''
  }
}

/** Returns the mask of a written code: `LV-####` for `LV-1001` with key `1001`. */
export function maskOf(code: string, key: string): string {
  const upper = code.toUpperCase()
  let mask = ''
  let left = key.length
  // From the end: a prefix may hold the same characters.
  for (let i = upper.length - 1; i >= 0; i--) {
    const isKey = left > 0 && upper[i] === key[left - 1]
    mask = (isKey ? '#' : upper[i]) + mask
    if (isKey) left--
  }
  return mask
}

/** Returns `key` with `A` for each letter and `N` for each digit. */
export function shapeOf(key: string): string {
  let shape = ''
  for (let i = 0; i < key.length; i++) shape += key[i] <= '9' ? 'N' : 'A'
  return shape
}

function countShapes(keys: readonly string[]): Map<string, number> {
  const shapes = new Map<string, number>()
  for (const key of keys) increment(shapes, shapeOf(key))
  return shapes
}

function isStray(count: number, of: number): boolean {
  return count < of * STRAY_SHARE
}

/** Returns the number of keys whose shape is `accepted`. */
function countKeys(shapes: ReadonlyMap<string, number>, accepted: (shape: string) => boolean): number {
  return sumOf(new Map([...shapes].filter(([shape]) => accepted(shape))))
}

/** Returns the length of the country's codes of digits, first parts aside; 0 if there are several. */
function padTo(country: string, shapes: ReadonlyMap<string, number>, total: number): number {
  for (const [shape, count] of shapes) {
    const form = formsWithFirstPart(country)
      .map(seamsOf)
      .find(({ whole }) => whole === shape)
    const firstParts = shapes.get(form?.beginnings[0] ?? '') ?? 0
    if (/^N{3,}$/.test(shape) && isStray(total - count - firstParts, total)) return shape.length
  }
  return 0
}

/** Returns the shapes of what follows the first parts, which are the codes of a country, in its full codes. */
function tails(forms: readonly string[], shapes: ReadonlyMap<string, number>, total: number): string[] {
  const found = new Set<string>()
  for (const form of forms) {
    const { whole, beginnings } = seamsOf(form)
    const head = beginnings.at(-1)
    if (head === undefined) continue
    const count = countKeys(shapes, shape => matches(shape, head))
    if (!isStray(count, total)) found.add(whole.slice(head.length))
  }
  return [...found].sort()
}

function matches(shape: string, form: string): boolean {
  if (shape.length !== form.length) return false
  for (let i = 0; i < shape.length; i++) if (form[i] !== 'X' && form[i] !== shape[i]) return false
  return true
}

/** Returns one mask per key length: the most frequent in the data, else in the examples. */
function masks(
  country: string,
  shapes: ReadonlyMap<string, number>,
  forms: ReadonlyMap<string, number>,
): string[] {
  const examples = new Map<string, number>()
  for (const example of codeForms(country)?.examples ?? [])
    increment(examples, maskOf(example, canonicalCode(example) ?? ''))
  const lengths = [...new Set([...shapes.keys()].map(shape => shape.length))].sort((a, b) => a - b)
  return lengths.flatMap(length => maskFor(length, forms) ?? maskFor(length, examples) ?? [])
}

/** Returns the most frequent mask for keys of `length`; undefined when there is none, or it is the plain form. */
function maskFor(length: number, masks: ReadonlyMap<string, number>): string | undefined {
  const fitting = new Map([...masks].filter(([mask]) => maskLength(mask) === length))
  const mask = mostFrequent(fitting)
  return mask === '#'.repeat(length) ? undefined : mask
}
