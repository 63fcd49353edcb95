import fc from 'fast-check'
import t from 'tap'
import type { CodeModel, CountryModel } from '../../../../build-index/model.ts'
import { TrieBuilder } from '../../../../build-index/write/trie-builder.ts'
import type { CountryMeta } from '../../../../src/postal/format/meta.ts'
import { CodeQuery } from '../../../../src/postal/index/codes/code-query.ts'
import { codeSymbols, findCode } from '../../../../src/postal/index/codes/trie.ts'
import { openCountry } from '../../../../src/postal/index/country.ts'
import { openIndex } from '../../../../src/postal/library/node.ts'
import { canonicalCode, SYMBOL_OF_BYTE, SYMBOLS } from '../../../../src/postal/text/code-symbols.ts'
import { code, country, NO_RULES, place } from '../../../support/countries.ts'
import { writeIndex } from '../../../support/fixture-index.ts'

/**
 * Returns the key for `typed` under `rules`, or null (FORMAT.md, *Finding a code*). Tries the canonical form itself,
 * without a prefix, without a tail, and without both.
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
  const [{ nodes: trie, root }] = build([keys])
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

const WESTMINSTER = { name1: 'England', code1: 'ENG', name2: 'Greater London' }
const TOWER = { name1: 'England', code1: 'ENG', name2: 'Tower Hamlets' }

function britishCode(key: string, name: string, lat: number, lon: number, of = WESTMINSTER): CodeModel {
  return code(key, [place(name, of)], { lat, lon })
}

const FULL: readonly CountryModel[] = [
  country('BR', [code('01001000', [place('São Paulo')]), code('01001001', [place('São Paulo')])]),
  country('CA', [code('K1A0B1', [place('Ottawa')]), code('K1A0B2', [place('Ottawa')])]),
  country(
    'GB',
    [
      britishCode('E11AA', 'Whitechapel', 51.5, -0.07, TOWER),
      britishCode('E1W1AA', 'Wapping', 51.6, -0.1, TOWER),
      britishCode('E111AA', 'Leytonstone', 51.56, 0.01, TOWER),
      britishCode('SW1A1AA', 'Westminster', 51.501, -0.1416),
      britishCode('SW1A2AA', 'London', 51.503, -0.1276),
      britishCode('SW1A2AB', 'London', 51.505, -0.127),
      britishCode('W1A1AA', 'London', 51.518, -0.143),
    ],
    { masks: ['## ###', '### ###', '#### ###'] },
  ),
  country('IE', [code('D02AF30', [place('Dublin')])]),
  country('JP', [code('1000001', [place('Chiyoda')]), code('1000002', [place('Chiyoda')])], { padTo: 7 }),
  country('NL', [code('1012AB', [place('Amsterdam')])], { masks: ['#### ##'] }),
  country('PT', [code('1000001', [place('Lisboa')])], { masks: ['####-###'], prefixes: ['PT', 'P'] }),
  country('SE', [code('11122', [place('Stockholm')])], { masks: ['### ##'] }),
]

t.test('an outward code alone is not a code where the data has full codes', async t => {
  const codes = openIndex(writeIndex(t.testdir(), FULL))
  t.same(codes.check('sw1a', 'GB'), { valid: true, normalized: 'SW1A', reason: null })
  t.match(
    codes.lookup('SW1A', 'GB'),
    { city: 'London', state: 'England', ST: 'ENG', latitude: 51.503, longitude: -0.132067 },
    'the name that most codes have, and their mean position',
  )
  t.match(codes.metadata('SW1A', 'GB'), {
    postalCode: 'SW1A',
    placeName: 'London',
    admin_name2: 'Greater London',
  })
  t.equal(codes.about().codes, 17, 'areas are not counted as codes')
  t.equal(codes.countries().find(({ country }) => country === 'GB')?.codes, 7)
})

t.test('a full code that does not exist stays invalid', async t => {
  const codes = openIndex(writeIndex(t.testdir(), FULL))
  for (const [text, cc] of [
    ['SW1A 1AB', 'GB'],
    ['SW1A 1', 'GB'],
    ['SW1', 'GB'],
    ['SW', 'GB'],
    ['K1A 0B9', 'CA'],
    ['1000009', 'JP'],
    ['1000-009', 'PT'],
    ['111', 'SE'],
  ])
    t.match(codes.check(text, cc), { valid: false, normalized: null, reason: 'not_found' }, `${text} ${cc}`)
})

t.test('every country with short forms accepts them', async t => {
  const codes = openIndex(writeIndex(t.testdir(), FULL))
  for (const [text, cc, written] of [
    ['01001', 'BR', '01001'],
    ['k1a', 'CA', 'K1A'],
    ['D02', 'IE', 'D02'],
    ['100', 'JP', '100'],
    ['1012', 'NL', '1012'],
    ['1000', 'PT', '1000'],
    ['P-1000', 'PT', '1000'],
  ])
    t.same(codes.check(text, cc), { valid: true, normalized: written, reason: null }, `${text} ${cc}`)
})

t.test('a short form has only its own codes: E1 has none of E11', async t => {
  const codes = openIndex(writeIndex(t.testdir(), FULL))
  for (const [text, latitude, longitude] of [
    ['E1', 51.5, -0.07],
    ['E11', 51.56, 0.01],
    ['E1W', 51.6, -0.1],
  ] as const)
    t.match(codes.lookup(text, 'GB'), { latitude, longitude }, text)
})

t.test('suggestions, cities and neighbours are full codes', async t => {
  const codes = openIndex(writeIndex(t.testdir(), FULL))
  t.same(codes.city('London', { country: 'GB' })?.zipcodes, ['SW1A 2AA', 'SW1A 2AB', 'W1A 1AA'])
  const postalCodes = codes.autocomplete('SW1A', { country: 'GB' }).codes.map(({ postalCode }) => postalCode)
  t.same(postalCodes, ['SW1A 1AA', 'SW1A 2AA', 'SW1A 2AB'])
  t.same(
    codes.nearest({ zipcode: 'SW1A' }, { country: 'GB', limit: 1 })?.map(({ postalCode }) => postalCode),
    ['SW1A 2AA'],
    'an area has neighbours',
  )
  t.same(codes.autocomplete('P-1000', { country: 'PT' }).codes, [], 'an area is not suggested')
})

/** Few characters make many prefixes. W to Z are the symbols 32 to 35, in other words of a node. */
const key = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'0AVWZ'), minLength: 1, maxLength: 4 }),
  fc.string({ unit: fc.constantFrom(...SYMBOLS), minLength: 1, maxLength: 10 }),
  fc.string({ unit: fc.constantFrom(...SYMBOLS), minLength: 1, maxLength: 2 }),
)
/** Digits that fill pages of pairs, and keys that fit in no page. */
const number = fc.string({ unit: fc.constantFrom(...'01379'), minLength: 3, maxLength: 4 })
const keySet = fc.oneof(
  fc.uniqueArray(key, { minLength: 1, maxLength: 120 }),
  fc.uniqueArray(number, { minLength: 1, maxLength: 300 }),
  fc.uniqueArray(fc.string({ unit: fc.constantFrom(...SYMBOLS), minLength: 3, maxLength: 3 }), {
    minLength: 200,
    maxLength: 400,
  }),
  fc.uniqueArray(fc.oneof({ weight: 20, arbitrary: number }, key), { minLength: 30, maxLength: 120 }),
)

const symbolsOf = (text: string) => Uint8Array.from(Buffer.from(text), byte => SYMBOL_OF_BYTE[byte])

type BuiltTrie = ReturnType<typeof build>[number]

/** A section has tries of several countries, as a file does. */
function build(countries: readonly (readonly string[])[]) {
  const builder = new TrieBuilder()
  const added = countries.map(keys => {
    const sorted = [...keys].sort()
    const first = builder.codeCount
    return { root: builder.add(sorted), codes: new Map(sorted.map((text, i) => [text, first + i])) }
  })
  const bytes = builder.bytes()
  const nodes = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  return added.map(country => ({ nodes, ...country }))
}

function find({ nodes, root }: BuiltTrie, text: string): number {
  // A key may not begin at the start, because a prefix is skipped.
  const symbols = Uint8Array.of(35, ...symbolsOf(text))
  return findCode(nodes, root, symbols, 1, text.length)
}

function keyOf({ nodes, root }: BuiltTrie, code: number): string {
  const out = new Uint8Array(10)
  return Array.from(out.subarray(0, codeSymbols(nodes, root, code, out)), symbol => SYMBOLS[symbol]).join('')
}

t.test('the trie finds every key and nothing else, and returns the key of a code', async () => {
  const input = fc.tuple(fc.array(keySet, { minLength: 1, maxLength: 3 }), fc.array(key, { maxLength: 40 }))
  fc.assert(
    fc.property(input, ([countries, others]) =>
      build(countries).every(trie => {
        const { codes } = trie
        const probes = [...others, ...countries.flat(), ...[...codes.keys()].map(text => text.slice(0, -1))]
        return (
          [...codes].every(([text, code]) => find(trie, text) === code && keyOf(trie, code) === text) &&
          probes.every(text => text === '' || find(trie, text) === (codes.get(text) ?? -1))
        )
      }),
    ),
    { numRuns: 500 },
  )
})
