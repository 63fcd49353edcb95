import type { CodeRules } from '../../build-index/model.ts'
import { canonicalCode } from '../../src/text/code.ts'

/**
 * The key that `typed` means under `rules`, or null: what the server does byte by byte, written plainly
 * (FORMAT.md, *Finding a code*). A number is left-padded with zeros, a text never. Then the first that
 * `hasKey` knows: the canonical form itself, without a prefix, without a tail, without both.
 */
export function resolveKey(
  rules: CodeRules,
  hasKey: (key: string) => boolean,
  typed: string | number,
): string | null {
  const text = typeof typed === 'number' ? String(typed).padStart(rules.padTo, '0') : typed
  const whole = canonicalCode(text)
  if (whole === null) return null
  const { prefixes, tails } = rules
  const forms = [whole]
  for (const prefix of prefixes) if (whole.startsWith(prefix)) forms.push(whole.slice(prefix.length))
  const candidates = [...forms]
  for (const tail of tails)
    for (const code of forms) if (endsIn(code, tail)) candidates.push(code.slice(0, -tail.length))
  return candidates.find(key => key !== '' && hasKey(key)) ?? null
}

/** True if `code` ends in the shape `tail`, with something before it. */
function endsIn(code: string, tail: string): boolean {
  const start = code.length - tail.length
  if (start <= 0) return false
  return [...tail].every((shape, i) => {
    const isDigit = /\d/.test(code[start + i])
    return shape === 'X' || isDigit === (shape === 'N')
  })
}
