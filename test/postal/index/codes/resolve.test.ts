import fc from 'fast-check'
import t from 'tap'
import { TrieBuilder } from '../../../../build-index/write/trie-builder.ts'
import type { CountryMeta } from '../../../../src/postal/format/meta.ts'
import { CodeQuery } from '../../../../src/postal/index/codes/resolve.ts'
import { openCountry } from '../../../../src/postal/index/country.ts'
import { canonicalCode, SYMBOLS } from '../../../../src/postal/text/code.ts'
import { NO_RULES } from '../../../support/countries.ts'

/**
 * Returns the key for `typed` under `rules`, or null (FORMAT.md, *Finding a code*). Tries the canonical form itself, without a prefix,
 * without a tail, and without both.
 */
function resolveKey(rules: Rules, hasKey: (key: string) => boolean, typed: string): string | null {
  const whole = canonicalCode(typed)
  if (whole === null) return null
  const { prefixes, tails } = rules
  const forms = [whole]
  for (const prefix of prefixes) if (whole.startsWith(prefix)) forms.push(whole.slice(prefix.length))
  const candidates = [...forms]
  for (const tail of tails)
    for (const code of forms) if (endsIn(code, tail)) candidates.push(code.slice(0, -tail.length))
  return candidates.find(key => key !== '' && hasKey(key)) ?? null
}

/** True if `code` ends in `tail`, with something before it. */
function endsIn(code: string, tail: readonly string[]): boolean {
  const start = code.length - tail.length
  return start > 0 && tail.every((signs, i) => signs.includes(code[start + i]))
}

type Rules = Pick<CountryMeta, 'prefixes' | 'tails'>

function resolver(keys: readonly string[], rules: Rules): (text: string) => string | null {
  const builder = new TrieBuilder()
  const root = builder.add([...keys].sort())
  const bytes = builder.bytes()
  const trie = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  const none = { parts: [] as number[], partTails: [] as string[][], letters: [] as number[] }
  const country = openCountry({ cc: 'XX', root, ...NO_RULES, ...rules, ...none } as unknown as CountryMeta)
  const query = new CodeQuery()
  return text => {
    const bytes = Buffer.from(text)
    if (!query.set(bytes, 0, bytes.length) || query.resolve(trie, country) < 0) return null
    const found = query.symbols.subarray(query.keyStart, query.keyStart + query.keyLength)
    return Array.from(found, symbol => SYMBOLS[symbol]).join('')
  }
}

t.test('a typed code is resolved by the rules of FORMAT.md', async t => {
  const text = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'AL01'), minLength: 1, maxLength })
  const rules = fc.record({
    prefixes: fc.uniqueArray(fc.constantFrom('L', 'AL', 'A', 'LLA'), { maxLength: 3 }),
    tails: fc.array(fc.constantFrom<string[]>(['01'], ['0', 'AL'], ['AL01', 'A0'], ['AL', 'L', '1']), {
      maxLength: 2,
    }),
  })
  let found = 0
  fc.assert(
    fc.property(fc.uniqueArray(text(4), { minLength: 1 }), rules, fc.array(text(8)), (keys, rules, texts) => {
      const resolve = resolver(keys, rules)
      return texts.every(text => {
        const expected = resolveKey(rules, key => keys.includes(key), text)
        if (expected !== null) found++
        return resolve(text) === expected
      })
    }),
    { numRuns: 2000 },
  )
  t.ok(found > 500, `${found} found`)
})
