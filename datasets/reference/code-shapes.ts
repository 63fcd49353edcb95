/**
 * Shapes of a country's full postal codes, from the regular expressions of `postal-code-checker` (libaddressinput).
 * A shape has one character for each of the key: `N` a digit, `A` a letter, `X` either; `|` stands where the expression
 * shows a seam (a separator, an optional group), so that `\d{5}(?:[ \-](\d{4}))?` gives `NNNNN` and `NNNNN|NNNN`.
 */
import { packageOrigin, readPackageText } from '../package-files.ts'
import type { Credit } from '../source.ts'

export const postalCodeChecker: Credit = {
  id: 'postal-code-checker',
  title: 'Written forms of postal codes',
  origin: packageOrigin('postal-code-checker'),
  licence: 'CC-BY-4.0',
  attribution: 'libaddressinput, Google; postal-code-checker, copyright (c) Sashika Suraweera',
  url: 'https://github.com/google/libaddressinput',
  date: '2026-07-17',
}

export interface CodeForms {
  /** Regular expressions of the whole written code. */
  patterns: readonly string[]
  shapes: readonly string[]
  /** Codes as people write them. */
  examples: readonly string[]
}

let forms: Map<string, CodeForms> | undefined

/** Forms of `country`'s codes; undefined when the country has no postal codes or the package does not know them. */
export function codeForms(country: string): CodeForms | undefined {
  forms ??= readForms()
  return forms.get(country)
}

/** One line per country: `AD: { patterns: ["/^…$/"], example: ["AD100"], isGenericRegex: false, country: "Andorra" },`. */
const LINE = /^ {4}([A-Z]{2}): \{ patterns: (\[.*?\]), example: (\[.*?\]), isGenericRegex/gm

function readForms(): Map<string, CodeForms> {
  const found = new Map<string, CodeForms>()
  for (const [, country, patterns, example] of readPackageText(
    'postal-code-checker',
    'dist/index.mjs',
  ).matchAll(LINE)) {
    const expressions = (JSON.parse(patterns) as string[]).map(pattern => pattern.slice(1, -1))
    const shapes = expressions.flatMap(shapesOf)
    const plain = expressions.map(expression => expression.replace(/^\^\(\?:(.*)\)\$$/, '$1'))
    if (shapes.length > 0) found.set(country, { patterns: plain, shapes, examples: JSON.parse(example) })
  }
  return found
}

/** Expands `pattern` (the part of regular expressions that libaddressinput uses). @throws when it meets another. */
export function shapesOf(pattern: string): string[] {
  const parser = new ShapeParser(pattern)
  return [
    ...new Set([...parser.alternatives()].map(shape => shape.replace(/\|+/g, '|').replace(/^\||\|$/g, ''))),
  ]
}

class ShapeParser {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  /** `a|b|c` up to the end or a closing bracket. */
  alternatives(): Set<string> {
    const all = new Set<string>()
    do for (const shape of this.#sequence()) all.add(shape)
    while (this.#take('|'))
    return all
  }

  #sequence(): Set<string> {
    let shapes = new Set([''])
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#pattern[this.#at])) {
      const isGroup = this.#pattern[this.#at] === '('
      const atom = this.#atom()
      const [min, max] = this.#quantifier()
      // A group that may be missing is a part of its own, so a seam stands on both sides of it.
      const seam = min === 0 && isGroup ? '|' : ''
      const next = new Set<string>()
      for (const shape of shapes)
        for (const repeated of repeat(atom, min, max))
          next.add(shape + (repeated === '' ? '' : seam + repeated + seam))
      shapes = next
    }
    return shapes
  }

  #atom(): Set<string> {
    const sign = this.#pattern[this.#at++]
    if (sign === '(') {
      this.#take('?:')
      const inner = this.alternatives()
      this.#take(')')
      return inner
    }
    if (sign === '[') {
      const end = this.#pattern.indexOf(']', this.#at)
      const members = this.#pattern.slice(this.#at, end)
      this.#at = end + 1
      return new Set([classOf(members)])
    }
    if (sign === '\\') return new Set([this.#pattern[this.#at++] === 'd' ? 'N' : ''])
    if (sign === '^' || sign === '$') return new Set([''])
    return new Set([classOf(sign)])
  }

  #quantifier(): [min: number, max: number] {
    if (this.#take('?')) return [0, 1]
    const match = /^\{(\d+)(?:,(\d+))?\}/.exec(this.#pattern.slice(this.#at))
    if (match === null) return [1, 1]
    this.#at += match[0].length
    return [Number(match[1]), Number(match[2] ?? match[1])]
  }

  #take(text: string): boolean {
    const found = this.#pattern.startsWith(text, this.#at)
    if (found) this.#at += text.length
    return found
  }
}

/** Class of a set of characters: `\dA-Z` is X, `ABD-H` is A, ` \-` a seam. */
function classOf(members: string): string {
  const digits = /\d|\\d/.test(members)
  const letters = /[A-Z]/.test(members)
  return digits && letters ? 'X' : digits ? 'N' : letters ? 'A' : '|'
}

function repeat(atom: Set<string>, min: number, max: number): Set<string> {
  const all = new Set<string>()
  for (const one of atom) for (let times = min; times <= max; times++) all.add(one.repeat(times))
  return all
}
