/** From what a request writes to a stored code: prefixes, tails and zeros, each a rule of the country's data. */
import fc from 'fast-check'
import t from 'tap'
import { TrieBuilder } from '../../../build-index/write/trie-builder.ts'
import type { CountryMeta } from '../../../src/format/meta.ts'
import { CodeQuery } from '../../../src/index/codes/resolve.ts'
import { countryOf } from '../../../src/index/country.ts'
import { SYMBOLS } from '../../../src/text/code.ts'

interface Rules {
  prefixes: string[]
  tails: string[]
}

function resolver(keys: readonly string[], { prefixes, tails }: Rules): (text: string) => string | null {
  const builder = new TrieBuilder()
  const root = builder.add([...keys].sort())
  const bytes = builder.bytes()
  const trie = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  const country = countryOf(
    {
      cc: 'XX',
      root,
      padTo: 0,
      prefixes,
      tails,
      masks: [] as string[],
      areas: [] as number[],
    } as CountryMeta,
    new Uint32Array(0),
  )
  const query = new CodeQuery()
  return text => {
    const bytes = Buffer.from(text)
    if (!query.set(bytes, 0, bytes.length) || query.resolve(trie, country) < 0) return null
    const found = query.symbols.subarray(query.keyStart, query.keyStart + query.keyLength)
    return Array.from(found, symbol => SYMBOLS[symbol]).join('')
  }
}

/** FORMAT.md, *Finding a code*: as it is, then without each prefix, then without each tail, with the prefix and without each. */
function naive(keys: readonly string[], { prefixes, tails }: Rules, text: string): string | null {
  const bare = prefixes
    .filter(prefix => text.startsWith(prefix) && text !== prefix)
    .map(prefix => text.slice(prefix.length))
  const shapes: Record<string, string> = { N: '[0-9]', A: '[A-Z]', X: '[0-9A-Z]' }
  const shortened = tails.flatMap(tail => {
    const shape = new RegExp(`${Array.from(tail, kind => shapes[kind]).join('')}$`)
    return [text, ...bare]
      .filter(form => form.length > tail.length && shape.test(form))
      .map(form => form.slice(0, -tail.length))
  })
  return [text, ...bare, ...shortened].find(form => keys.includes(form)) ?? null
}

t.test('follows the rules as FORMAT.md states them', async t => {
  const text = (maxLength: number) => fc.string({ unit: fc.constantFrom(...'AL01'), minLength: 1, maxLength })
  const rules = fc.record({
    prefixes: fc.uniqueArray(fc.constantFrom('L', 'AL', 'A', 'LLA'), { maxLength: 3 }),
    tails: fc.array(fc.constantFrom('N', 'NA', 'XX', 'AAN'), { maxLength: 2 }),
  })
  let found = 0
  fc.assert(
    fc.property(fc.uniqueArray(text(4), { minLength: 1 }), rules, fc.array(text(8)), (keys, rules, texts) => {
      const resolve = resolver(keys, rules)
      return texts.every(text => {
        const expected = naive(keys, rules, text)
        if (expected !== null) found++
        return resolve(text) === expected
      })
    }),
    { numRuns: 2000 },
  )
  t.ok(found > 500, `${found} found`)
})

t.test('examples', async t => {
  const gb = resolver(['SW1A', 'N1'], { prefixes: [], tails: ['NAA'] })
  t.equal(gb('sw1a 1aa'), 'SW1A')
  t.equal(gb('N1'), 'N1')
  t.equal(gb('N11AA'), 'N1')
  t.equal(gb('SW1A1A1'), null, 'the tail has a shape')
  t.equal(gb('1AA'), null, 'a tail alone is not a code')
  const lv = resolver(['1001'], { prefixes: ['LV'], tails: [] })
  t.equal(lv('LV-1001'), '1001')
  t.equal(lv('lv1001'), '1001')
  t.equal(lv('1001'), '1001')
  t.equal(lv('LV'), null)
  const us = resolver(['90210'], { prefixes: [], tails: ['NNNN'] })
  t.equal(us('90210-1234'), '90210')
  t.equal(us('90210-12'), null)
  const lu = resolver(['4968', '1009'], { prefixes: ['LU', 'L'], tails: [] })
  for (const typed of ['L-4968', 'LU-4968', 'lu 4968', '4968']) t.equal(lu(typed), '4968', typed)
  t.equal(lu('LUL-4968'), null, 'one prefix, not two')
  const ar = resolver(['1425'], { prefixes: ['AR', 'B', 'C'], tails: ['AAA'] })
  for (const typed of ['1425', 'C1425', 'C1425DKF', '1425 DKF', 'AR-1425']) t.equal(ar(typed), '1425', typed)
  for (const typed of ['I1425DKF', 'C1425DK', 'CC1425DKF', 'C1426DKF']) t.equal(ar(typed), null, typed)
})
