/**
 * Shapes of full postal codes, from regular expressions of `postal-code-checker` (libaddressinput). `N` is a digit,
 * `A` a letter, `X` either. `|` is a seam, at a separator or an optional group: `\d{5}(?:[ \-](\d{4}))?` gives
 * `NNNNN` and `NNNNN|NNNN`.
 */
import { loadPackage, packageCredit } from '../package-files.ts'

export const postalCodeChecker = packageCredit('postal-code-checker', {
  title: 'Written forms of postal codes',
  licence: 'CC-BY-4.0',
  attribution: 'libaddressinput, Google; postal-code-checker, copyright (c) Sashika Suraweera',
  url: 'https://github.com/google/libaddressinput',
  date: '2026-07-17',
})

interface CodeForms {
  patterns: readonly string[]
  shapes: readonly string[]
  examples: readonly string[]
}

let forms: Map<string, CodeForms> | undefined

/** Returns the forms of a country's codes; undefined if it has none, or the package does not know them. */
export function codeForms(country: string): CodeForms | undefined {
  forms ??= readForms()
  return forms.get(country)
}

/** Returns a shape without seams, and its beginnings up to each seam. */
export function seamsOf(shape: string): { whole: string; beginnings: string[] } {
  const parts = shape.split('|')
  const beginnings = parts.slice(1).map((_, i) => parts.slice(0, i + 1).join(''))
  return { whole: parts.join(''), beginnings }
}

/** Letters of British inward parts in libaddressinput, and in Royal Mail's Programmers' Guide, which has no O. */
const INWARD = ['[ABD-HJLN-UW-Z]', '[ABD-HJLNP-UW-Z]'] as const

type Countries = Record<string, { patterns: string[]; example: string[] }>

function readForms(): Map<string, CodeForms> {
  const { COUNTRIES } = loadPackage<{ COUNTRIES: Countries }>('postal-code-checker', 'dist/index.cjs.js')
  const found = new Map<string, CodeForms>()
  for (const [country, { patterns, example: examples }] of Object.entries(COUNTRIES)) {
    const expressions = patterns.map(pattern => pattern.slice(1, -1))
    const shapes = expressions.flatMap(shapesOf)
    const plain = expressions.map(expression =>
      expression.replace(/^\^\(\?:(.*)\)\$$/, '$1').replaceAll(...INWARD),
    )
    if (shapes.length > 0) found.set(country, { patterns: plain, shapes, examples })
  }
  return found
}

/** Parts of a regular expression that stand for characters of a code, and quantifiers. */
const TOKEN = /\(\?:|\{[^}]*\}|\[[^\]]*\]|\\.|[^()|?]/g

/** Returns the shapes that `pattern` matches. Supports what libaddressinput uses of regular expressions. */
function shapesOf(pattern: string): string[] {
  const signs = pattern.replace(TOKEN, token => {
    if (token === '(?:') return '('
    return token.startsWith('{') ? token : classOf(token)
  })
  return [...new Set(expand(signs).map(shape => shape.replace(/_+/g, '|').replace(/^\||\|$/g, '')))]
}

/** Returns the class of a set of characters: `\dA-Z` is X, `ABD-H` is A, ` \-` a seam. */
function classOf(token: string): string {
  if (/^([\^$]|\\[^d])$/.test(token)) return ''
  const digits = /\d|\\d/.test(token)
  const letters = /[A-Z]/.test(token)
  return digits && letters ? 'X' : digits ? 'N' : letters ? 'A' : '_'
}

/** First group without inner groups, or first character with a quantifier. */
const REPEATED =
  /(?:\((?<group>[^()]*)\)|(?<sign>[NAX_])(?=[?{]))(?:(?<maybe>\?)|\{(?<min>\d+)(?:,(?<max>\d+))?\})?/

/** Returns the texts that `signs` stands for: `N{1,2}(A|_)?` for `N`, `NN`, `NA` and so on. */
function expand(signs: string): string[] {
  const found = REPEATED.exec(signs)
  if (found === null) return signs.split('|')
  const { group, sign = group, maybe, min = '1', max = min } = found.groups ?? {}
  const [least, most] = maybe === undefined ? [Number(min), Number(max)] : [0, 1]
  // An optional group is a part of its own, with a seam on both sides.
  const seam = least === 0 && group !== undefined ? '_' : ''
  const texts = new Set<string>()
  for (const text of sign.split('|'))
    for (let times = least; times <= most; times++)
      texts.add(times === 0 ? '' : seam + text.repeat(times) + seam)
  const [before, after] = [signs.slice(0, found.index), signs.slice(found.index + found[0].length)]
  return [...texts].flatMap(text => expand(before + text + after))
}
